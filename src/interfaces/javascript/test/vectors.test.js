import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
	Bloom, CountingBloom, Cuckoo, FilterFullError, InvalidFilterError, Key, key, Matrix, parse,
} from '../src/index.js';
import { vectors } from './helpers.js';

const CLASSES = { bloom: Bloom, counting_bloom: CountingBloom, cuckoo: Cuckoo };

function assertSameInfo(info, expected) {
	assert.deepEqual(Object.keys(info), Object.keys(expected));
	for (const [name, value] of Object.entries(expected)) {
		const isClose = typeof value === 'number' && !Number.isInteger(value) &&
			Math.abs(info[name] - value) <= 1e-9 * Math.abs(value);
		if (!isClose)
			assert.equal(info[name], value, name);
	}
}

test('keys', () => {
	for (const { type, value, key: expected } of vectors('keys')) {
		if (expected === null)
			assert.throws(() => key(value, type), RangeError, `${type} ${value}`);
		else
			assert.equal(String(key(value, type)), expected, `${type} ${value}`);
	}
});

test('filters', async (t) => {
	for (const { name, kind, type, image, info, probes } of vectors('filters')) {
		await t.test(name, () => {
			const filter = parse(image);
			assert.ok(filter instanceof CLASSES[kind]);
			assert.equal(filter.kind, kind);
			assert.equal(filter.family, info.key_family);
			assert.equal(filter.toText(), image);
			assert.equal(Buffer.from(filter.toBytes()).toString('base64'), image);
			assert.equal(CLASSES[kind].parse(filter.toBytes()).toText(), image);
			assertSameInfo(filter.info(), info);
			assert.equal(filter.cardinality(), info.keys);

			for (const { value, key: text, contains, count } of probes) {
				const probed = type === null ? Key.parse(text) : key(value, type);
				assert.equal(String(probed), text);
				assert.equal(filter.contains(probed), contains, text);
				if (kind !== 'bloom')
					assert.equal(filter.count(probed), count, text);
			}
			const keys = probes.map((probe) => Key.parse(probe.key));
			const found = probes.map((probe) => probe.contains);
			assert.equal(filter.containsAny(keys), found.includes(true));
			assert.equal(filter.containsAll(keys), !found.includes(false));
			assert.deepEqual(filter.missing(keys), keys.filter((_, i) => !found[i]));
		});
	}
});

test('malformed filters', () => {
	for (const { kind, text, reason } of vectors('malformed')) {
		assert.throws(() => CLASSES[kind].parse(text), (error) => {
			assert.ok(error instanceof InvalidFilterError);
			assert.equal(error.reason, reason, text);
			const syntax = reason.includes('base64') ? 'input syntax' : 'value';
			assert.equal(error.message, `invalid ${syntax} for type ${kind}: ${reason}`);
			return true;
		});
	}
});

test('matrices', async (t) => {
	for (const { name, type, image, info, columns, searches } of vectors('matrices')) {
		await t.test(name, () => {
			const matrix = parse(image);
			assert.ok(matrix instanceof Matrix);
			assert.equal(matrix.kind, 'bloom_matrix');
			assert.equal(matrix.family, info.key_family);
			assert.equal(matrix.toText(), image);
			assert.equal(JSON.stringify(matrix), `"${image}"`);
			assert.equal(Matrix.parse(image).toText(), image);
			assert.ok(parse(matrix.toBytes()).equals(Matrix.parse(matrix.toBytes().buffer)));
			assertSameInfo(matrix.info(), info);

			assert.deepEqual(matrix.columns(), columns.map(({ id }) => BigInt(id)));
			for (const { id, filter } of columns) {
				const found = matrix.filter(BigInt(id));
				assert.ok(found instanceof Bloom);
				assert.equal(found.toText(), filter);
			}
			for (const { value, key: text, ids } of searches) {
				const searched = type === null ? Key.parse(text) : key(value, type);
				assert.equal(String(searched), text);
				assert.deepEqual(matrix.search(searched), ids.map(BigInt), text);
			}
		});
	}
});

test('malformed matrices', () => {
	for (const { text, reason } of vectors('malformed_matrices')) {
		// that takes the sizes of the server, and no answer depends on it
		if (reason ===
			'The blocks of a matrix without keys are not those of its lowest rate.') {
			assert.deepEqual(Matrix.parse(text).search(1n), []);
			continue;
		}
		const isRefused = (error) => {
			assert.ok(error instanceof InvalidFilterError);
			assert.equal(error.reason, reason);
			return true;
		};
		assert.throws(() => Matrix.parse(text), isRefused, reason);
		if (reason !== 'It is not a matrix of filters.')
			assert.throws(() => parse(text), isRefused, reason);
	}
});

test('filters that are built', async (t) => {
	for (const { name, capacity, fpp, growth, sizing, type, keys, from, to, image } of
		vectors('build')) {
		await t.test(name, () => {
			const values = keys ?? Array.from({ length: to - from + 1 }, (_, i) => from + i);
			const all = values.map((value) => key(value, type));
			const create = () => Bloom.create(capacity, { fpp, growth, sizing });

			if (sizing !== null &&
				Math.max(capacity, growth * 128, 128) !== Math.max(capacity, 256)) {
				assert.throws(create, RangeError);
				return;
			}
			const filter = create();
			if (image === null) {
				assert.throws(() => filter.addAll(all), FilterFullError);
				assert.equal(filter.toText(), create().toText());
				return;
			}
			filter.addAll(all);
			assert.equal(filter.toText(), image);
			assert.equal(parse(image).toText(), image);

			const oneByOne = create();
			for (const one of all)
				oneByOne.add(one);
			assert.equal(oneByOne.toText(), image);
		});
	}
});
