// growth.js
//
// Adds keys to a bloom by the rules of "Growth" in FORMAT.md, as far as they need no
// geometry that only the server can compute.

import { FilterFullError } from './errors.js';
import { BLOCK_BITS, bitsFromKeys } from './estimate.js';
import { HEADER_BYTES, layOut, MAX_LIST, viewOf, writeMetadata } from './image.js';
import { BLOOM, KINDS, setBits } from './kinds.js';
import { countHash, findListed } from './lookup.js';

function largest(...values) {
	return values.reduce((a, b) => (b > a ? b : a));
}

/** The capacity of the first layer of a filter, in which its list ends up. */
export function firstCapacity(capacity, growth) {
	return largest(capacity, BigInt(MAX_LIST * growth), BigInt(MAX_LIST));
}

function isFull(layer) {
	return layer.set > layer.fullAt;
}

function insertIntoList(image, low, high) {
	const at = HEADER_BYTES + (-1 - findListed(image, low, high)) * 8;
	const old = image.bytes;
	image.listed++;
	image.bytes = new Uint8Array(layOut(image));
	image.bytes.set(old.subarray(0, at));
	image.bytes.set(old.subarray(at), at + 8);
	viewOf(image.bytes).setInt32(at, low, true);
	viewOf(image.bytes).setInt32(at + 4, high, true);
}

// Make the first layer, of the geometry that the server gave, and move the list to it.
function openFirstLayer(image, sizing) {
	const list = viewOf(image.bytes);
	const { listed } = image;
	const layer = {
		bins: sizing.blocks,
		keyBits: sizing.probes,
		capacity: firstCapacity(image.capacity, image.growth),
		fpp: image.fpp,
		fullAt: sizing.fullAt,
		set: 0,
		offset: 0,
	};

	image.listed = 0;
	image.layers = [layer];
	image.bytes = new Uint8Array(layOut(image));
	for (let i = 0; i < listed; i++) {
		const low = list.getInt32(HEADER_BYTES + i * 8, true);
		const high = list.getInt32(HEADER_BYTES + i * 8 + 4, true);
		layer.set += setBits(image.bytes, layer, low, high);
	}
}

function addHash(image, sizing, low, high) {
	if (countHash(image, low, high) > 0)
		return;
	if (image.layers.length === 0) {
		if (image.listed < MAX_LIST) {
			insertIntoList(image, low, high);
			return;
		}
		if (sizing === null)
			throw new FilterFullError('the list of the filter is full, and the size of a layer ' +
				'is not known: give a sizing, from bloom_sizing on the server');
		openFirstLayer(image, sizing);
	}
	const layer = image.layers.find((candidate) => !isFull(candidate)) ??
		(image.growth === 0 ? image.layers.at(-1) : undefined);
	if (layer === undefined)
		throw new FilterFullError('the filter is full: have the server build it with room for the ' +
			'keys that will come, bloom_agg(value, capacity, fpp), or add them there by bloom_add_all');
	layer.set += setBits(image.bytes, layer, low, high);
}

// Can so many keys fill all layers?  Those before the last one are full then.
function canFill(image, keys) {
	return image.growth > 0 &&
		!image.layers.some((layer) => layer.set + (keys - 1) * layer.keyBits <= layer.fullAt);
}

/**
 * Add keys to an image in place: all of them, or none.
 *
 * @param image
 * @param sizing {{ blocks, probes, fullAt }} the geometry of the first layer, or null
 * @param keys {{ family, subtype, lows, highs }} their family, and the halves of their hashes
 * @throws {FilterFullError}
 */
export function addHashes(image, sizing, { family, subtype, lows, highs }) {
	if (lows.length === 0)
		return;

	const layers = image.layers.map((layer) => ({ ...layer }));
	const changed = { ...image, family, subtype, layers };
	if (canFill(image, lows.length) && !image.layers.every(isFull))
		changed.bytes = image.bytes.slice();
	for (let i = 0; i < lows.length; i++)
		addHash(changed, sizing, lows[i], highs[i]);
	writeMetadata(changed);
	Object.assign(image, changed);
}

// A number of a row of the server, which drivers give as a number, a BigInt or a string.
function wholeNumber(value) {
	const text = String(value);
	return /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
}

// Can a layer of this capacity be full at its limit?  That is the number of bits that so many
// keys set on average, and four standard deviations, of which here is an upper bound.
function isOfCapacity({ blocks, probes, fullAt }, capacity) {
	const most = blocks * BLOCK_BITS - 1;
	const mean = bitsFromKeys(blocks, probes, Number(capacity));
	const slack = 4 * (Math.sqrt(5 * blocks * BLOCK_BITS) + 1);
	return fullAt >= Math.min(mean, most) - 1 && fullAt <= Math.min(mean + slack, most) + 1;
}

/**
 * Check the row of bloom_sizing(capacity, fpp), and take the geometry of the first layer
 * from it; null for a filter that is a list.
 */
export function readSizing(row, capacity, fpp, growth) {
	if (row === null || row === undefined)
		return null;

	const wrongRow = () => new RangeError('sizing is not the row of ' +
		`bloom_sizing(${capacity}, ${fpp})`);
	if (row.blocks === null) {
		if (capacity > MAX_LIST)
			throw wrongRow();
		return null;
	}

	const sizing = {
		blocks: wholeNumber(row.blocks),
		probes: wholeNumber(row.probes),
		fullAt: wholeNumber(row.full_at),
	};
	const layer = { bins: sizing.blocks, keyBits: sizing.probes, fullAt: sizing.fullAt, set: 0 };
	if (Object.values(sizing).some(Number.isNaN) || KINDS[BLOOM].checkLayer(layer) !== null)
		throw new RangeError('sizing is not a row of bloom_sizing(capacity, fpp), with the ' +
			'columns blocks, probes and full_at');
	const sized = firstCapacity(capacity, 2);
	const needed = firstCapacity(capacity, growth);
	if (sized !== needed)
		throw new RangeError(`sizing is that of a layer for ${sized} keys, but with growth ` +
			`${growth} the first layer is one for ${needed}`);
	if (!isOfCapacity(sizing, needed))
		throw wrongRow();
	return sizing;
}
