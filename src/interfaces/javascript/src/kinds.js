// kinds.js
//
// The three kinds of filters, and what each does in its own way with the bins of a layer:
// blocks of bits, blocks of counters, or buckets of fingerprints.
//
// A layer has the numbers of its record, and the offset of its bins:
//
//	{ bins, keyBits, capacity, fpp, fullAt, set, offset }
//
// keyBits is the number of probes, or of bits of a fingerprint; set the number of bits set,
// counters above zero, or fingerprints.

import { BLOCK_BITS, keysFromBits, rateOfBits, rateOfFingerprints } from './estimate.js';
import { mul64High, mulHigh } from './int64.js';
import { hash, hashInt32 } from './xxh3.js';

export const BLOCK_BYTES = BLOCK_BITS / 8;
const COUNTERS_BYTES = BLOCK_BITS / 2;
const MAX_BYTES = 2 ** 29;
export const MAX_PROBES = 24;
const MAX_FINGERPRINT_BITS = 32;
const PLACES = 4;
const FEWEST_BITS_UNSET = 100;

/** A counter that has reached this number stays there. */
export const MAX_COUNTER = 15;

// Each probe multiplies the hash by this number.
export const MULTIPLIER_HIGH = 0x9e3779b9;
export const MULTIPLIER_LOW = 0x7f4a7c15;

//
// Blocks, of bits or of counters
//

/** Has the number the form m * 2^s with m < 128? */
export function isSizeClass(blocks) {
	let shift = 0;
	while (blocks / 2 ** shift >= 128)
		shift++;
	return blocks % 2 ** shift === 0;
}

function checkBlocks(layer, maxBlocks) {
	if (layer.bins < 1 || layer.bins > maxBlocks || !isSizeClass(layer.bins))
		return 'The number of blocks of a layer is not possible.';
	if (layer.keyBits < 1 || layer.keyBits > MAX_PROBES)
		return 'The number of probes of a layer is not between 1 and 24.';
	if (layer.fullAt >= layer.bins * BLOCK_BITS)
		return 'The limit of a layer on bits set is as high as its number of bits.';
	if (layer.set > layer.bins * BLOCK_BITS)
		return 'A layer claims more bits set than it has.';
	return null;
}

const blocks = {
	placesOfBin: BLOCK_BITS,
	shownOfBin: BLOCK_BITS,
	keys: (layer) => keysFromBits(layer.bins, layer.keyBits, layer.set),
	canEstimateKeys: (layer) => layer.bins * BLOCK_BITS - layer.set >= FEWEST_BITS_UNSET,
	fpp: (layer) => rateOfBits(layer.bins, layer.keyBits, layer.set),
	// the key that made a layer full may have set all its probes
	isSaturated: (layer) => layer.set > layer.fullAt + layer.keyBits ||
		layer.set === layer.bins * BLOCK_BITS,
};

// The words of the bins; their byte order does not matter where they are counted.
function wordsOf(bytes, layer, nbytes) {
	return new Int32Array(bytes.buffer, bytes.byteOffset + layer.offset, nbytes / 4);
}

// Bits set in a word: by halves (Warren, "Hacker's Delight", section 5-1).
function countBits(word) {
	word -= word >>> 1 & 0x55555555;
	word = (word & 0x33333333) + (word >>> 2 & 0x33333333);
	return Math.imul(word + (word >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function countBitsSet(bytes, layer) {
	const words = wordsOf(bytes, layer, layer.bins * BLOCK_BYTES);
	let set = 0;
	for (let i = 0; i < words.length; i++)
		set += countBits(words[i]);
	return set;
}

function countBloom(bytes, layer, low, high) {
	const block = layer.offset + mulHigh(high, layer.bins) * BLOCK_BYTES;
	for (let i = layer.keyBits; i > 0; i--) {
		high = mul64High(low, high, MULTIPLIER_LOW, MULTIPLIER_HIGH);
		low = Math.imul(low, MULTIPLIER_LOW);
		if ((bytes[block + (high >>> 26)] & 1 << (high >>> 23 & 7)) === 0)
			return 0;
	}
	return 1;
}

/** Set the bits of a hash in a layer of a bloom, and count those that were not set. */
export function setBits(bytes, layer, low, high) {
	const block = layer.offset + mulHigh(high, layer.bins) * BLOCK_BYTES;
	let added = 0;
	for (let i = layer.keyBits; i > 0; i--) {
		high = mul64High(low, high, MULTIPLIER_LOW, MULTIPLIER_HIGH);
		low = Math.imul(low, MULTIPLIER_LOW);
		const at = block + (high >>> 26);
		const bit = 1 << (high >>> 23 & 7);
		if ((bytes[at] & bit) === 0) {
			bytes[at] |= bit;
			added++;
		}
	}
	return added;
}

const bloom = {
	...blocks,
	name: 'bloom',
	isSet: true,
	bytes: (layer) => layer.bins * BLOCK_BYTES,
	checkLayer: (layer) => checkBlocks(layer, MAX_BYTES / BLOCK_BYTES),
	wrongBins: 'The number of bits set in a layer is not what its record says.',
	countSet: countBitsSet,
	count: countBloom,
};

function countCountersSet(bytes, layer) {
	const words = wordsOf(bytes, layer, layer.bins * COUNTERS_BYTES);
	let set = 0;
	for (let i = 0; i < words.length; i++) {
		// one bit for each of the eight counters
		let word = words[i];
		word |= word >>> 2;
		word |= word >>> 1;
		word &= 0x11111111;
		set += Math.imul(word + (word >>> 4) & 0x0f0f0f0f, 0x01010101) >>> 24;
	}
	return set;
}

function countCounting(bytes, layer, low, high) {
	const block = layer.offset + mulHigh(high, layer.bins) * COUNTERS_BYTES;
	let least = MAX_COUNTER;
	for (let i = layer.keyBits; i > 0 && least > 0; i--) {
		high = mul64High(low, high, MULTIPLIER_LOW, MULTIPLIER_HIGH);
		low = Math.imul(low, MULTIPLIER_LOW);
		const counter = bytes[block + (high >>> 24)] >> (high >>> 21 & 4) & 15;
		if (counter < least)
			least = counter;
	}
	return least;
}

const countingBloom = {
	...blocks,
	name: 'counting_bloom',
	bytes: (layer) => layer.bins * COUNTERS_BYTES,
	checkLayer: (layer) => checkBlocks(layer, MAX_BYTES / COUNTERS_BYTES),
	wrongBins: 'The number of counters above zero is not what the record of the layer says.',
	countSet: countCountersSet,
	count: countCounting,
};

//
// Buckets of fingerprints
//

function bucketsBytes(layer) {
	return Math.ceil(layer.bins * PLACES * layer.keyBits / 64) * 8;
}

function checkBuckets(layer) {
	if (layer.keyBits < 1 || layer.keyBits > MAX_FINGERPRINT_BITS)
		return 'The length of a fingerprint is not between 1 and 32 bits.';
	if (layer.bins < 2 || layer.bins % 2 !== 0 || bucketsBytes(layer) > MAX_BYTES)
		return 'The number of buckets is not possible.';
	if (layer.fullAt !== 0)
		return 'A cuckoo filter has a limit on bits set.';
	if (layer.set > layer.bins * PLACES)
		return 'There are more fingerprints than places.';
	return null;
}

// The fingerprint of so many bits that begins in a byte, behind so many bits of it; as a
// signed integer.  Bytes behind the end are undefined, which is 0 here.
function readFingerprint(bytes, at, shift, fingerprintBits) {
	at += shift >> 3;
	shift &= 7;
	let value = (bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24) >>>
		shift;
	if (shift + fingerprintBits > 32)
		value |= bytes[at + 4] << 32 - shift;
	return value & -1 >>> 32 - fingerprintBits;
}

// A bucket is a whole number of half bytes: its first byte, and how many bits of that are
// the bucket's before.
function byteOfBucket(layer, bucket) {
	return layer.offset + (bucket * layer.keyBits >>> 1);
}

function shiftOfBucket(layer, bucket) {
	return (bucket * layer.keyBits & 1) * 4;
}

// The lowest bits of so many numbers of so many bits, side by side in a word
function lowestBits(count, bits) {
	let word = 0;
	for (let i = 0; i < count; i++)
		word |= 1 << i * bits;
	return word;
}

function isPadded(view, layer) {
	for (let at = layer.bins / 2 * layer.keyBits; at < view.byteLength; at++) {
		if (view.getUint8(at) !== 0)
			return false;
	}
	return true;
}

// The fingerprints; NaN if a free place is not the last one, or bits behind the end are set.
// Each step is about as many places as a word has room for: buckets, half a bucket, or one.
function countFingerprints(bytes, layer) {
	const { keyBits } = layer;
	const view = new DataView(bytes.buffer, bytes.byteOffset + layer.offset, bucketsBytes(layer));
	const places = keyBits <= 8 ? Math.floor(8 / keyBits) * PLACES : keyBits <= 16 ? 2 : 1;
	const stepsOfBucket = Math.max(1, PLACES / places);
	const steps = Math.ceil(layer.bins * PLACES / places);
	const bits = places * keyBits;
	const mask = -1 >>> 32 - bits;
	const lowest = lowestBits(places, keyBits);
	const top = lowest << keyBits - 1;
	const belowTop = top - lowest | 0;
	const first = lowestBits(Math.max(1, places / PLACES), PLACES * keyBits) << keyBits - 1;
	const behindAnother = top & ~first;
	let stored = 0;
	let at = 0;
	let shift = 0;
	let stepOfBucket = 0;
	let isFull = true;

	if (!isPadded(view, layer))
		return NaN;
	for (let step = 0; step < steps; step++) {
		let word = view.getInt32(at, true) >>> shift;
		if (shift + bits > 32 && at + 4 < view.byteLength)
			word |= view.getInt32(at + 4, true) << 32 - shift;
		word &= mask;
		shift += bits;
		at += shift >>> 5 << 2;
		shift &= 31;

		// the top bit of each place that is not 0: the addition carries into it
		const taken = ((word & belowTop) + belowTop | word) & top;
		if ((taken & behindAnother & ~(taken << keyBits)) !== 0 || (taken !== 0 && !isFull))
			return NaN;
		stored += countBits(taken);
		stepOfBucket++;
		isFull = taken === top;
		if (stepOfBucket === stepsOfBucket) {
			stepOfBucket = 0;
			isFull = true;
		}
	}
	return stored;
}

function countInBucket(bytes, layer, bucket, fingerprint) {
	const at = byteOfBucket(layer, bucket);
	const shift = shiftOfBucket(layer, bucket);
	const { keyBits } = layer;
	let count = 0;
	for (let place = 0; place < PLACES; place++) {
		if (readFingerprint(bytes, at, shift + place * keyBits, keyBits) === fingerprint)
			count++;
	}
	return count;
}

function countCuckoo(bytes, layer, low, high) {
	const fingerprint = 1 + mulHigh(low, -1 >>> 32 - layer.keyBits) | 0;
	const first = mulHigh(high, layer.bins);
	hashInt32(fingerprint);
	const second = (mulHigh(hash[1], layer.bins) | 1) - first;
	return countInBucket(bytes, layer, first, fingerprint) +
		countInBucket(bytes, layer, second < 0 ? second + layer.bins : second, fingerprint);
}

const cuckoo = {
	name: 'cuckoo',
	layerRepeatsHeader: true,
	placesOfBin: PLACES,
	shownOfBin: 1,
	bytes: bucketsBytes,
	checkLayer: checkBuckets,
	wrongBins: 'The buckets are not as full as the record of the layer says, or not in order.',
	countSet: countFingerprints,
	keys: (layer) => layer.set,
	canEstimateKeys: () => true,
	fpp: (layer) => rateOfFingerprints(layer.bins, layer.keyBits, layer.set),
	isSaturated: (layer) => layer.set > layer.capacity,
	count: countCuckoo,
};

/** By the number of the kind in an image. */
export const KINDS = [undefined, bloom, countingBloom, cuckoo];

export const BLOOM = 1, COUNTING_BLOOM = 2, CUCKOO = 3;
