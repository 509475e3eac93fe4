import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keysFromBits, keysOfLayers, rateOfBits } from '../src/estimate.js';
import { Bloom } from '../src/index.js';

const BLOCKS = 64, PROBES = 6;
const BITS = BLOCKS * 512;
const keys = (set) => keysFromBits(BLOCKS, PROBES, set);
const rate = (set) => rateOfBits(BLOCKS, PROBES, set);

// A bloom with such layers: [fpp, bits set, maybe capacity]; the number of bits that are left
// until one is full
function bloomOfLayers(layers, { growth = 2, spare = -1 } = {}) {
	const start = 60 + 64 * layers.length;
	const bytes = new Uint8Array(start + layers.length * BITS / 8);
	const view = new DataView(bytes.buffer);
	bytes.set(Bloom.create(1000, { growth }).toBytes());
	view.setUint16(8, 2, true);
	view.setUint16(12, layers.length, true);
	layers.forEach(([fpp, set, capacity = 1000], i) => {
		view.setUint32(60 + 64 * i, BLOCKS, true);
		view.setUint8(64 + 64 * i, PROBES);
		view.setBigUint64(68 + 64 * i, BigInt(capacity), true);
		view.setFloat64(76 + 64 * i, fpp, true);
		view.setBigUint64(84 + 64 * i, BigInt(Math.max(set + spare, 0)), true);
		view.setBigUint64(92 + 64 * i, BigInt(set), true);
		for (let bit = 0; bit < set; bit++)
			bytes[start + i * BITS / 8 + (bit >> 3)] |= 1 << (bit & 7);
	});
	return Bloom.parse(bytes);
}

function checkWith(fields, expected, ...layers) {
	const filter = bloomOfLayers(layers, fields);
	const rounded = expected === null ? null : Math.round(expected);
	assert.equal(filter.cardinality(), rounded);
	assert.equal(filter.info().keys, rounded);
}

const check = (...args) => checkWith({}, ...args);

test('the keys of layers behind each other', () => {
	const a = 20000, b = 22000, c = 24000;
	check(keys(a), [0.01, a]);
	check(0, [0.01, 0]);
	check(keys(a) + keys(b) / (1 - rate(a)), [0.2, a], [0.1, b]);
	// the bytes, not the order, tell which one is before another
	check(keys(a) + keys(b) / (1 - rate(a)), [0.1, b], [0.2, a]);
	check(keys(a) + keys(b) / (1 - rate(a)) + keys(c) / (1 - rate(a)) / (1 - rate(b)),
		[0.2, a], [0.1, b], [0.05, c]);
	check(keys(a) + keys(c) / (1 - rate(a)), [0.2, a], [0.05, c]);
	assert.ok(bloomOfLayers([[0.2, a], [0.1, b]]).cardinality() > keys(a) + keys(b));
	// the smallest fpp, of which a half is exact, too
	check(keys(a) + keys(b) / (1 - rate(a)), [2 ** -1073, a], [2 ** -1074, b]);
	check(keys(a) + keys(b) / (1 - rate(a)), [0.99, a], [0.99 * 2 ** -1000, b]);
});

test('the keys of layers that are not behind each other', () => {
	const a = 20000, b = 22000;
	for (const other of [0.2, 0.3, 0.06, 0.1 + 2 ** -56])
		check(keys(a) + keys(b), [0.2, a], [other, b]);
});

test('the keys of layers with the same fpp, and without keys', () => {
	const a = 12000, b = 24000, c = 22000;
	const passing = (keys(a) * (1 - rate(a)) + keys(b) * (1 - rate(b))) / (keys(a) + keys(b));
	check(keys(a) + keys(b) + keys(c) / passing, [0.2, a], [0.1, c], [0.2, b]);
	check(keys(a), [0.2, 0], [0.1, a]);
	check(keys(a) + keys(b) / (1 - rate(a)), [0.4, 0], [0.2, a], [0.1, b], [0.05, 0]);
});

test('layers whose keys cannot be told', () => {
	const a = 20000, b = 22000, full = BITS - 1000;
	check(keys(full), [0.2, full]);
	check(null, [0.2, full], [0.1, a]);
	check(null, [0.2, full], [0.1, 0]);
	check(keys(a) + keys(full) / (1 - rate(a)), [0.1, full], [0.2, a]);
	let half = 0;
	while (rate(half) < 0.45)
		half++;
	check(keys(half) + keys(a) / (1 - rate(half)), [0.2, half], [0.1, a]);
	check(null, [0.4, half], [0.2, half], [0.1, a]);
	check(null, [0.4, a], [0.2, BITS - 99], [0.1, b]);
	assert.equal(keysOfLayers([{ fpp: 0.2, capacity: 1, isFull: true, keys: 5, rate: NaN },
		{ fpp: 0.1, capacity: 2, isFull: true, keys: 5, rate: 0.1 }], 2), null);
});

test('the keys of layers by their capacities', () => {
	const a = 20000, b = 22000, c = 24000, d = 21000;
	// of two filters, of which one began with half the fpp of the other
	check(keys(a) + keys(b) / (1 - rate(a)) + keys(c) + keys(d) / (1 - rate(c)),
		[0.2, a, 256], [0.1, b, 512], [0.1, c, 256], [0.05, d, 512]);
	// with another capacity, that may be next to the first, too
	check(keys(a) + keys(b) / (1 - rate(a)) + keys(c) / (1 - rate(a)),
		[0.2, a, 256], [0.1, b, 512], [0.1, c, 5000]);
	// one that was shrunk
	check(keys(a) + keys(b) / (1 - rate(a)), [0.2, a, 256], [0.1, b, 200]);
	// filters that do not grow, and layers that are not full
	checkWith({ growth: 0 }, keys(a) + keys(b), [0.2, a, 256], [0.1, b, 512]);
	checkWith({ spare: 0 }, keys(a) + keys(b), [0.2, a, 256], [0.1, b, 512]);
});

test('the keys of merged layers cannot be told', () => {
	const layers = Array.from({ length: 64 }, (_, i) => [0.5 ** (i + 1), 2000, 1000]);
	assert.notEqual(bloomOfLayers(layers, { spare: -PROBES }).cardinality(), null);
	checkWith({ spare: -PROBES - 1 }, null, ...layers);
	assert.notEqual(bloomOfLayers(layers.slice(1), { spare: -PROBES - 1 }).cardinality(), null);
});
