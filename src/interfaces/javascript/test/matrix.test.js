import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import {
	Bloom, CountingBloom, Cuckoo, InvalidFilterError, Key, key, KeyMismatchError, Matrix, parse,
} from '../src/index.js';
import { vectors } from './helpers.js';

function matrixOf(name) {
	return parse(vectors('matrices').find((vector) => vector.name === name).image);
}

test('questions to a matrix', () => {
	const matrix = matrixOf('the example of FORMAT.md');
	assert.deepEqual(matrix.columns(), [-1n, 2n, 7n]);
	assert.deepEqual(matrix.search('red'), [-1n, 2n]);
	assert.deepEqual(matrix.search(key('blue  ', 'bpchar')), [-1n, 7n]);
	assert.ok(matrix.filter(7).contains('blue'));
	assert.equal(matrix.filter(3n), null);
	for (const id of ['7', 7.5, null, undefined, 2 ** 53])
		assert.throws(() => matrix.filter(id), TypeError);
	assert.equal(matrix.filter(2n ** 64n + 7n), null);
	assert.throws(() => matrix.search(null), TypeError);
	assert.throws(() => matrix.search(1n), (error) => error instanceof KeyMismatchError &&
		error.message.startsWith('cannot probe a filter of text keys with a key of family number; '));
	assert.throws(() => matrixOf('row').search(Key.parse('row/00000001:0000000000000001')),
		KeyMismatchError);
	assert.deepEqual(matrixOf('one layer').search(101), [1n]);
});

test('a matrix without keys', () => {
	for (const name of ['no columns', 'no keys']) {
		const matrix = matrixOf(name);
		assert.equal(matrix.family, 'none');
		for (const value of [1, 1n, 'red', Key.parse('row/00000001:0000000000000001')])
			assert.deepEqual(matrix.search(value), []);
		assert.throws(() => matrix.search(null), TypeError);
	}
});

test('a matrix does not change', () => {
	const matrix = matrixOf('the example of FORMAT.md');
	const text = matrix.toText();
	matrix.filter(7).add('red');
	matrix.toBytes().fill(0);
	assert.equal(matrix.toText(), text);
});

test('a matrix among other values', () => {
	const matrix = matrixOf('the example of FORMAT.md');
	const summary = "Matrix { family: 'text', columns: 3, blocks: 2, bytes: 8700 }";
	assert.equal(String(matrix), summary);
	assert.equal(inspect(matrix), summary);
	assert.ok(!matrix.equals(matrixOf('row')));
	assert.ok(!matrix.equals(matrix.filter(7)));
	assert.ok(!matrix.filter(7).equals(matrix));
	assert.throws(() => new Matrix(), TypeError);
	for (const type of [Bloom, CountingBloom, Cuckoo])
		assert.throws(() => type.parse(matrix.toText()),
			{ reason: 'It is of another kind of filter.' });
	for (const read of [parse, Matrix.parse]) {
		assert.ok(read(matrix.toText(), { maxBytes: 8700 }).equals(matrix));
		assert.throws(() => read(matrix.toText(), { maxBytes: 8699 }),
			(error) => error instanceof InvalidFilterError &&
				error.reason === 'It is longer than 8699 bytes.');
	}
});
