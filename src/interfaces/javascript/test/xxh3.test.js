import assert from 'node:assert/strict';
import { test } from 'node:test';

import { mulHigh } from '../src/int64.js';
import { hash, hashBytes, hashInt32, hashInt64 } from '../src/xxh3.js';
import { optionalPackage, randomNumbers, vectors } from './helpers.js';

function hex() {
	return Array.from([hash[1], hash[0]], (half) => (half >>> 0).toString(16).padStart(8, '0'))
		.join('');
}

function xxh3(bytes) {
	hashBytes(bytes);
	return hex();
}

test('the hashes of the shared vectors', () => {
	for (const { length, hash } of vectors('bytes'))
		assert.equal(xxh3(Uint8Array.from({ length }, (_, i) => i * 7 + length)), hash, length);
});

test('bytes at any offset of a larger buffer', () => {
	const all = Uint8Array.from({ length: 400 }, (_, i) => i * 31);
	for (let length = 0; length <= 300; length += 7)
		for (let offset = 0; offset < 9; offset++)
			assert.equal(xxh3(all.subarray(offset, offset + length)),
				xxh3(all.slice(offset, offset + length)));
});

test('integers are hashed as their bytes', () => {
	const view = new DataView(new ArrayBuffer(8));
	for (const [low, high] of [[0, 0], [1, 0], [-1, -1], [0x89abcdef, 0x01234567]]) {
		view.setInt32(0, low, true);
		view.setInt32(4, high, true);
		hashInt64(low, high);
		assert.equal(hex(), xxh3(new Uint8Array(view.buffer)));
		hashInt32(low);
		assert.equal(hex(), xxh3(new Uint8Array(view.buffer, 0, 4)));
	}
});

test('the upper half of a product', () => {
	const random = randomNumbers(1);
	const values = [0, 1, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffff0000, 0xffffffff,
		...Array.from({ length: 100 }, () => random(2 ** 32))];
	for (const a of values)
		for (const b of values)
			assert.equal(mulHigh(a, b) >>> 0, Number(BigInt(a) * BigInt(b) >> 32n));
});

const hashWasm = optionalPackage('hash-wasm');

test('random bytes of all lengths as another library hashes them',
	{ skip: !hashWasm && 'no npm package hash-wasm' }, async () => {
		const other = await hashWasm.createXXHash3(0, 0);
		const random = randomNumbers(2);
		const lengths = Array.from({ length: 2200 }, (_, i) => i).concat(5000, 65535, 1000001);
		for (const length of lengths) {
			const bytes = Uint8Array.from({ length }, () => random(256));
			assert.equal(xxh3(bytes), other.init().update(bytes).digest('hex'), length);
		}
	});
