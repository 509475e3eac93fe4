import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import {
	Bloom, CountingBloom, Cuckoo, FilterFullError, InvalidFilterError, Key, key,
	KeyMismatchError, parse,
} from '../src/index.js';
import { vectors } from './helpers.js';

const filters = new Map(vectors('filters').map((filter) => [filter.name, filter.image]));
const named = (name) => parse(filters.get(name));
const sizing = { blocks: '20', probes: 6, full_at: '4634', bits: '10240' };

test('a number is of the family of the filter', () => {
	const numbers = named('one layer');
	assert.equal(numbers.contains(1000), true);
	assert.equal(numbers.contains(1000n), true);
	assert.equal(numbers.contains(key('1000.0', 'numeric')), true);
	assert.equal(named('double precision').contains(0.2 * 100), true);
	assert.equal(named('real').contains(key(20, 'real')), true);
	assert.throws(() => numbers.contains(0.5), RangeError);
	assert.throws(() => numbers.contains(2 ** 53), RangeError);
});

test('a filter without keys contains nothing, of any family', () => {
	const empty = Bloom.create(1000);
	assert.equal(empty.family, 'none');
	for (const probed of [5, 0.5, 5n, 'x', true, Uint8Array.of(1), key('x'),
		Key.parse('array/3cd3bb57:0000000000000001')])
		assert.equal(empty.contains(probed), false);
	assert.equal(empty.containsAny([1, 'x']), false);
	assert.equal(empty.containsAll([]), true);
	assert.deepEqual(empty.missing([1, 'x']), [1, 'x']);
	assert.throws(() => empty.contains(null), TypeError);
	assert.throws(() => empty.contains(undefined), TypeError);
	assert.throws(() => empty.contains(new Date()), TypeError);
});

test('keys of another family', () => {
	const numbers = named('one layer');
	const mismatch = (probe, message) => assert.throws(probe, (error) =>
		error instanceof KeyMismatchError && error.message.startsWith(message) &&
		error.message.includes('write '));
	mismatch(() => numbers.contains('5'),
		'cannot probe a filter of number keys with a key of family text; ' +
		"write key(value, 'bigint')");
	mismatch(() => named('uuid').contains('5'),
		"cannot probe a filter of uuid keys with a key of family text; write key(value, 'uuid')");
	mismatch(() => named('text').contains(5),
		'cannot probe a filter of text keys with a key of family number; write String(value)');
	mismatch(() => named('text').contains(new Uint8Array([1])), 'cannot probe a filter of text keys with ' +
		'a key of family bytea; write the string that the server prints for value::text');
	mismatch(() => numbers.add('5'),
		'cannot add a key of family text to a filter of number keys; write');
	mismatch(() => named('array').contains(Key.parse('array/00000001:0000000000000001')),
		'cannot probe a filter of array keys with a key of family array and another subtype');
	mismatch(() => named('array').add(Key.parse('array/00000001:0000000000000001')),
		'cannot add a key of family array to a filter of array keys of another subtype; write');
	mismatch(() => named('cuckoo').count(true),
		'cannot probe a filter of number keys with a key of family boolean');
	mismatch(() => Bloom.create(10).addAll([1n, 'x']),
		'cannot add a key of family text to a filter of number keys');
});

test('several keys', () => {
	const numbers = named('a full list');
	assert.equal(numbers.containsAny([500, 3, 600]), true);
	assert.equal(numbers.containsAny(new Set([500, 600])), false);
	assert.equal(numbers.containsAll([1, 128]), true);
	assert.equal(numbers.containsAll([1, 129]), false);
	assert.deepEqual(numbers.missing([500, 1, 129n, 2, 500]), [500, 129n, 500]);
	assert.throws(() => numbers.missing([1, null]), TypeError);
	for (const keys of ['123', 5, null, undefined, {}, Uint8Array.of(1)])
		assert.throws(() => numbers.containsAny(keys), TypeError);
});

test('forms of an image', () => {
	const text = filters.get('cuckoo');
	const bytes = Buffer.from(text, 'base64');
	const offset = new Uint8Array(bytes.length + 3);
	offset.set(bytes, 3);
	for (const data of [text, bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer,
		offset.subarray(3)])
		assert.equal(parse(data).toText(), text);
	for (const data of [null, undefined, 5, [1, 2], {}])
		assert.throws(() => parse(data), TypeError);
	assert.equal(JSON.stringify(parse(text)), `"${text}"`);
});

test('what is printed is a summary, and not the text form', () => {
	const summary = "Bloom { family: 'number', capacity: 1000, fpp: 0.01, bytes: 68 }";
	const filter = Bloom.create(1000).add(1n);
	for (const shown of [String(filter), `${filter}`, filter.toString(), inspect(filter)])
		assert.equal(shown, summary);
	assert.ok(inspect({ filter }).includes(`filter: ${summary}`));
	assert.match(String(named('cuckoo')), /^Cuckoo \{ family: 'number', .* \}$/);
	assert.throws(() => parse(String(filter)), InvalidFilterError);
});

test('filters with the same bytes are equal', () => {
	const keys = Array.from({ length: 200 }, (_, i) => BigInt(i));
	for (const some of [[], [1n], keys]) {
		const filter = Bloom.create(1000, { sizing }).addAll(some);
		const other = Bloom.create(1000, { sizing }).addAll(some);
		assert.ok(filter.equals(other) && filter.equals(parse(filter.toText())));
		other.add(-1n);
		assert.ok(!filter.equals(other) && !other.equals(filter));
	}
	const filter = named('one layer');
	const bytes = filter.toBytes();
	const at = bytes.findIndex((byte, i) => i >= 124 && byte > 0 && byte < 128);
	bytes[at] <<= 1;
	assert.ok(!parse(bytes).equals(filter));
	for (const other of [null, undefined, 5, filter.toText(), filter.toBytes(), named('cuckoo')])
		assert.ok(!filter.equals(other));
});

test('an image is copied', () => {
	const bytes = Buffer.from(filters.get('one layer'), 'base64');
	const filter = parse(bytes);
	const before = filter.toText();
	bytes.fill(0);
	filter.toBytes().fill(0);
	assert.equal(filter.toText(), before);
});

test('refusals of parse() and of a class', () => {
	const reasonOf = (f) => {
		try {
			f();
		} catch (error) {
			assert.ok(error instanceof InvalidFilterError);
			return error.message;
		}
		return null;
	};
	assert.equal(reasonOf(() => Bloom.parse(filters.get('cuckoo'))),
		'invalid value for type bloom: It is of another kind of filter.');
	assert.equal(reasonOf(() => parse(new Uint8Array(60))),
		'invalid value for type filter: It is of another kind of filter.');
	assert.equal(reasonOf(() => parse('')),
		'invalid value for type filter: It is shorter than a header.');
	assert.equal(reasonOf(() => parse('*')),
		'invalid input syntax for type filter: ' +
		'The value is not base64, without spaces and line breaks.');
	const bytes = Buffer.from(filters.get('cuckoo'), 'base64');
	assert.equal(reasonOf(() => parse(bytes.subarray(3))),
		'invalid value for type filter: It is of another kind of filter.');
	assert.equal(reasonOf(() => Cuckoo.parse(bytes.subarray(0, 99))),
		'invalid value for type cuckoo: It is shorter than its layer records.');
});

test('maxBytes', () => {
	for (const added of [[], [1n], [1n, 2n], [1n, 2n, 3n]]) {
		const filter = Bloom.create(1000).addAll(added);
		const bytes = filter.toBytes();
		const maxBytes = bytes.length;
		for (const data of [filter.toText(), bytes, Buffer.from(bytes), bytes.buffer]) {
			for (const f of [parse, Bloom.parse]) {
				assert.ok(f(data, { maxBytes }).equals(filter));
				assert.ok(f(data, { maxBytes: undefined }).equals(filter));
				assert.throws(() => f(data, { maxBytes: maxBytes - 1 }), (error) =>
					error instanceof InvalidFilterError &&
					error.reason === `It is longer than ${maxBytes - 1} bytes.`);
			}
		}
	}
	// before it is decoded
	assert.throws(() => Cuckoo.parse('?'.repeat(2 ** 20), { maxBytes: 1000 }), {
		name: 'InvalidFilterError',
		message: 'invalid value for type cuckoo: It is longer than 1000 bytes.',
	});
	const text = filters.get('cuckoo');
	for (const options of [null, 5, [], 'x', { max_bytes: 5 }, { maxBytes: 5, fpp: 0.1 }])
		assert.throws(() => parse(text, options), TypeError);
	for (const maxBytes of [-1, NaN, '5', null, 5n])
		assert.throws(() => parse(text, { maxBytes }), RangeError);
});

test('padding in another piece than the last', () => {
	const piece = 'A'.repeat(2 ** 20 - 4);
	const reason = (text) => {
		try {
			parse(text);
		} catch (error) {
			return error.reason;
		}
		return null;
	};
	assert.match(reason(`${piece}AA==AAAA`), /^The value is not base64/);
	assert.match(reason(`${piece}AAAAAA==AAAA`), /^The base64 is not canonical/);
	assert.match(reason(`${piece}AA==`), /another kind/);
});

test('the info of a capacity that is no safe integer', () => {
	const { capacity } = Bloom.create(2n ** 63n - 1n, { fpp: 0.9 }).info();
	assert.equal(capacity, 2n ** 63n - 1n);
	assert.equal(Bloom.create(2 ** 53 - 1).info().capacity, 2 ** 53 - 1);
});

test('parameters of a new filter', () => {
	for (const [capacity, options, error] of [
		[0, {}, RangeError], [-1, {}, RangeError], [2n ** 63n, {}, RangeError],
		[1.5, {}, TypeError], ['1000', {}, TypeError], [NaN, {}, TypeError],
		[10, { fpp: 0 }, RangeError],
		[10, { fpp: 1 }, RangeError], [10, { fpp: NaN }, RangeError],
		[10, { fpp: '0.1' }, RangeError], [2n ** 62n, { fpp: 1e-9 }, RangeError],
		[10, { growth: -1 }, RangeError], [10, { growth: 101 }, RangeError],
		[10, { growth: 1.5 }, RangeError],
		[1000, { sizing: {} }, RangeError],
		[1000, { sizing: { ...sizing, blocks: 0 } }, RangeError],
		[1000, { sizing: { ...sizing, blocks: 129 } }, RangeError],
		[1000, { sizing: { ...sizing, probes: 25 } }, RangeError],
		[1000, { sizing: { ...sizing, full_at: 10240 } }, RangeError],
		[1000, { sizing: { ...sizing, full_at: null } }, RangeError],
		[1000, { sizing, growth: 8 }, RangeError], [200, { sizing, growth: 1 }, RangeError],
	])
		assert.throws(() => Bloom.create(capacity, options), error, `${capacity}`);
	Bloom.create(1000, { sizing, growth: 7 });
	Bloom.create(100, { sizing: null, growth: 0 });
	Bloom.create(100, { sizing: { blocks: null, probes: null, full_at: null }, growth: 0 });
});

test('options of a new filter', () => {
	for (const options of [0.0001, '0.0001', true, null, [], () => 0.0001])
		assert.throws(() => Bloom.create(1000, options),
			new TypeError('options must be an object, such as { fpp: 0.001 }'));
	assert.throws(() => Bloom.create(1000, { fp: 0.0001 }),
		new TypeError('"fp" is not an option; these are fpp, growth, sizing'));
	assert.throws(() => Bloom.create(1000, { fpp: 0.0001, Growth: 1 }), TypeError);
	assert.throws(() => Bloom.create(1000, sizing), TypeError);
	assert.equal(Bloom.create(1000, { fpp: undefined }).info().target_fpp, 0.01);
	assert.equal(Bloom.create(1000, undefined).info().target_fpp, 0.01);
});

test('constructors are not for applications', () => {
	for (const constructor of [Bloom, CountingBloom, Cuckoo]) {
		for (const parameters of [[], [filters.get('cuckoo')], [{ kind: 1 }]])
			assert.throws(() => new constructor(...parameters),
				new TypeError('filters are made by parse(data) and Bloom.create(capacity)'));
	}
	for (const parameters of [[], ['x'], [0, 0, 0, 0]])
		assert.throws(() => new Key(...parameters),
			new TypeError('keys are made by key(value, type) and Key.parse(text)'));
});

test('the sizing of another capacity', () => {
	const none = { blocks: null, probes: null, full_at: null };
	const million = { blocks: 19456, probes: 6, full_at: 4494502 };
	const refused = (capacity, options) =>
		assert.throws(() => Bloom.create(capacity, options), (error) =>
			error instanceof RangeError && error.message ===
				`sizing is not the row of bloom_sizing(${capacity}, ${options.fpp ?? 0.01})`);
	Bloom.create(1000000, { sizing: million });
	refused(1000000, { sizing });
	refused(1000, { sizing: million });
	refused(1100, { sizing, fpp: 0.001 });
	refused(2n ** 57n, { sizing });
	refused(300, { sizing, growth: 1 });
	refused(129, { sizing: none });
	refused(1000, { sizing: { ...sizing, full_at: 10239 } });
	refused(1000, { sizing: { ...sizing, full_at: 0 } });
});

test('adding', () => {
	const filter = Bloom.create(1000, { sizing });
	assert.equal(filter.add(key(1, 'bigint')), filter);
	assert.equal(filter.family, 'number');
	filter.addAll([2, 3n]).addAll([]);
	assert.equal(filter.cardinality(), 3);
	assert.throws(() => filter.add(null), TypeError);
	assert.throws(() => Bloom.create(1000).add(5), new TypeError('a number can be of several ' +
		"SQL types: write key(5, 'bigint') or key(5, 'double precision')"));
	assert.throws(() => Bloom.create(1000).add(0.5), new TypeError('a number can be of several ' +
		"SQL types: write key('0.5', 'numeric') or key(0.5, 'double precision')"));
	assert.throws(() => key(2 ** 53), TypeError);
	Bloom.create(1000).addAll([key(5, 'bigint'), 6]);
	assert.throws(() => Bloom.create(1000).addAll('abc'), TypeError);
	assert.equal(Bloom.create(1000).addAll([]).toText(), Bloom.create(1000).toText());
});

test('what cannot be added changes nothing', () => {
	const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => BigInt(from + i));
	const unchanged = (filter, keys, error = FilterFullError) => {
		const before = filter.toText();
		assert.throws(() => filter.addAll(keys), error);
		assert.equal(filter.toText(), before);
	};
	const list = Bloom.create(1000).addAll(range(1, 128));
	unchanged(list, [129n]);
	list.addAll(range(1, 128));
	assert.equal(list.cardinality(), 128);

	const half = Bloom.create(1000, { sizing }).addAll(range(1, 500));
	unchanged(half, range(501, 3000));
	unchanged(half, [501n, 'x'], KeyMismatchError);
	unchanged(half, [501n, null], TypeError);
	half.addAll(range(501, 1000));

	// from a list through the first layer to a full one
	unchanged(Bloom.create(1000, { sizing }).addAll(range(1, 100)), range(1, 3000));
	unchanged(Bloom.create(1000, { sizing }), range(1, 3000));

	// all layers are full: keys that are there already can be added
	const full = Bloom.create(1000, { sizing });
	let n = 0;
	assert.throws(() => {
		for (;;)
			full.add(BigInt(++n));
	}, FilterFullError);
	full.addAll(range(1, n - 1));
	assert.equal(full.contains(n), false);
	assert.equal(full.info().saturated, false);
});

test('a filter of the server that is added to', () => {
	const filter = named('two layers');
	filter.add(1000);
	assert.equal(filter.contains(1000), true);
	assert.equal(parse(filter.toText()).toText(), filter.toText());
	assert.equal(filter.info().layers, 2);
});
