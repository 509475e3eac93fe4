// xxh3.js
//
// XXH3, 64 bits, seed 0, as xxHash's doc/xxhash_spec.md describes it.
//
// A 64-bit number is a pair of its halves, as in int64.js.

import { mul64High, mulHigh } from './int64.js';

/** The hash that was computed last: its lower and its upper 32 bits, as signed integers. */
export const hash = new Int32Array(2);

// The default secret
const secret = new DataView(new Uint8Array([
	0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
	0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
	0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
	0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
	0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
	0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
	0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
	0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
	0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
	0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
	0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
	0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
]).buffer);

const SECRET_LENGTH = 192;
const STRIPE = 64;
const STRIPES_IN_BLOCK = (SECRET_LENGTH - STRIPE) / 8;
const BLOCK = STRIPE * STRIPES_IN_BLOCK;

// 64-bit primes, by halves; PRIME32_1 .. 3 are some of these halves
const PRIME64_1_HIGH = 0x9e3779b1, PRIME64_1_LOW = 0x85ebca87;
const PRIME64_2_HIGH = 0xc2b2ae3d, PRIME64_2_LOW = 0x27d4eb4f;
const PRIME64_3_HIGH = 0x165667b1, PRIME64_3_LOW = 0x9e3779f9;
const PRIME64_4_HIGH = 0x85ebca77, PRIME64_4_LOW = 0xc2b2ae63;
const PRIME64_5_HIGH = 0x27d4eb2f, PRIME64_5_LOW = 0x165667c5;
const PRIME_MX1_HIGH = 0x16566791, PRIME_MX1_LOW = 0x9e3779f9;
const PRIME_MX2_HIGH = 0x9fb21c65, PRIME_MX2_LOW = 0x1e98df25;
const PRIME32_1 = 0x9e3779b1, PRIME32_2 = 0x85ebca77, PRIME32_3 = 0xc2b2ae3d;

// Does a sum of two 32-bit integers pass 2^32?  It is then less than either.
function carry(total, term) {
	return (total >>> 0) < (term >>> 0) ? 1 : 0;
}

// The sum to which mixing adds
const sum = new Int32Array(2);

function addToSum(low, high) {
	const lowSum = sum[0] + low | 0;
	sum[1] += high + carry(lowSum, low);
	sum[0] = lowSum;
}

// Add the two halves of a 128-bit product, combined by XOR.
function addFoldedProduct(aLow, aHigh, bLow, bHigh) {
	// the four products of halves
	const lowLowHigh = mulHigh(aLow, bLow);
	const lowHighLow = Math.imul(aLow, bHigh), lowHighHigh = mulHigh(aLow, bHigh);
	const highLowLow = Math.imul(aHigh, bLow), highLowHigh = mulHigh(aHigh, bLow);
	const highHighLow = Math.imul(aHigh, bHigh), highHighHigh = mulHigh(aHigh, bHigh);

	// the second word of the product, the third, and what they carry
	const second = lowLowHigh + lowHighLow | 0;
	const second2 = second + highLowLow | 0;
	const carried = carry(second, lowHighLow) + carry(second2, highLowLow);
	const third = lowHighHigh + highLowHigh | 0;
	const third2 = third + highHighLow | 0;
	const third3 = third2 + carried | 0;
	const fourth = highHighHigh + carry(third, highLowHigh) + carry(third2, highHighLow) +
		carry(third3, carried) | 0;
	addToSum(Math.imul(aLow, bLow) ^ third3, second2 ^ fourth);
}

// Put the avalanche of the sum into hash.
function finish() {
	const high = sum[1];
	const low = sum[0] ^ high >>> 5;
	const mixed = mul64High(low, high, PRIME_MX1_LOW, PRIME_MX1_HIGH);
	hash[0] = Math.imul(low, PRIME_MX1_LOW) ^ mixed;
	hash[1] = mixed;
}

// The same with XXH64's avalanche, of a number.
function finishAsXxh64(low, high) {
	low ^= high >>> 1;
	high = mul64High(low, high, PRIME64_2_LOW, PRIME64_2_HIGH);
	low = Math.imul(low, PRIME64_2_LOW);
	low ^= low >>> 29 | high << 3;
	high ^= high >>> 29;
	high = mul64High(low, high, PRIME64_3_LOW, PRIME64_3_HIGH);
	hash[0] = Math.imul(low, PRIME64_3_LOW) ^ high;
	hash[1] = high;
}

// Two words of the secret combined by XOR, of which a short input makes use.
function secretPair(at) {
	return secret.getInt32(at, true) ^ secret.getInt32(at + 8, true);
}

const EMPTY_LOW = secretPair(56), EMPTY_HIGH = secretPair(60);
const UP_TO_3 = secret.getInt32(0, true) ^ secret.getInt32(4, true);
const UP_TO_8_LOW = secretPair(8), UP_TO_8_HIGH = secretPair(12);
const UP_TO_16_LOW = secretPair(24), UP_TO_16_HIGH = secretPair(28);
const UP_TO_16_LAST_LOW = secretPair(40), UP_TO_16_LAST_HIGH = secretPair(44);

function hashUpTo3(view, length) {
	const combined = view.getUint8(length - 1) | length << 8 | view.getUint8(0) << 16 |
		view.getUint8(length >> 1) << 24;
	finishAsXxh64(UP_TO_3 ^ combined, 0);
}

// Of 4 .. 8 bytes: the first four and the last four.
function hashUpTo8(first, last, length) {
	const x = UP_TO_8_LOW ^ last;
	const y = UP_TO_8_HIGH ^ first;
	// combined with itself, rotated by 49 and by 24 bits
	let low = x ^ (y << 17 | x >>> 15) ^ (x << 24 | y >>> 8);
	let high = y ^ (x << 17 | y >>> 15) ^ (y << 24 | x >>> 8);
	high = mul64High(low, high, PRIME_MX2_LOW, PRIME_MX2_HIGH);
	low = Math.imul(low, PRIME_MX2_LOW);
	low ^= (high >>> 3) + length;
	high = mul64High(low, high, PRIME_MX2_LOW, PRIME_MX2_HIGH);
	low = Math.imul(low, PRIME_MX2_LOW);
	hash[0] = low ^ (low >>> 28 | high << 4);
	hash[1] = high ^ high >>> 28;
}

function swapBytes(x) {
	return x << 24 | (x & 0xff00) << 8 | x >>> 8 & 0xff00 | x >>> 24;
}

function hashUpTo16(view, length) {
	const low = UP_TO_16_LOW ^ view.getInt32(0, true);
	const high = UP_TO_16_HIGH ^ view.getInt32(4, true);
	const lastLow = UP_TO_16_LAST_LOW ^ view.getInt32(length - 8, true);
	const lastHigh = UP_TO_16_LAST_HIGH ^ view.getInt32(length - 4, true);
	sum[0] = length;
	sum[1] = 0;
	addToSum(swapBytes(high), swapBytes(low));
	addToSum(lastLow, lastHigh);
	addFoldedProduct(low, high, lastLow, lastHigh);
	finish();
}

// Mix 16 bytes with 16 of the secret.
function mix(view, at, secretAt) {
	addFoldedProduct(view.getInt32(at, true) ^ secret.getInt32(secretAt, true),
		view.getInt32(at + 4, true) ^ secret.getInt32(secretAt + 4, true),
		view.getInt32(at + 8, true) ^ secret.getInt32(secretAt + 8, true),
		view.getInt32(at + 12, true) ^ secret.getInt32(secretAt + 12, true));
}

// The sum begins with the length times PRIME64_1.
function startSum(length) {
	sum[0] = Math.imul(length, PRIME64_1_LOW);
	sum[1] = mul64High(length, 0, PRIME64_1_LOW, PRIME64_1_HIGH);
}

function hashUpTo128(view, length) {
	startSum(length);
	for (let i = (length - 1) >> 5; i >= 0; i--) {
		mix(view, i * 16, i * 32);
		mix(view, length - i * 16 - 16, i * 32 + 16);
	}
	finish();
}

function hashUpTo240(view, length) {
	startSum(length);
	for (let i = 0; i < 8; i++)
		mix(view, i * 16, i * 16);
	finish();
	sum.set(hash);
	for (let i = 8; i < length >> 4; i++)
		mix(view, i * 16, (i - 8) * 16 + 3);
	mix(view, length - 16, 119);
	finish();
}

// Of a longer input: eight accumulators, low and high in turn.
const accumulators = new Int32Array(16);
const START = new Int32Array([
	PRIME32_3, 0, PRIME64_1_LOW, PRIME64_1_HIGH, PRIME64_2_LOW, PRIME64_2_HIGH,
	PRIME64_3_LOW, PRIME64_3_HIGH, PRIME64_4_LOW, PRIME64_4_HIGH, PRIME32_2, 0,
	PRIME64_5_LOW, PRIME64_5_HIGH, PRIME32_1, 0,
]);

function addToAccumulator(i, low, high) {
	const lowSum = accumulators[i] + low | 0;
	accumulators[i + 1] += high + carry(lowSum, low);
	accumulators[i] = lowSum;
}

function accumulateStripe(view, at, secretAt) {
	for (let i = 0; i < 16; i += 2) {
		const low = view.getInt32(at + i * 4, true);
		const high = view.getInt32(at + i * 4 + 4, true);
		const a = low ^ secret.getInt32(secretAt + i * 4, true);
		const b = high ^ secret.getInt32(secretAt + i * 4 + 4, true);
		addToAccumulator(i ^ 2, low, high);
		addToAccumulator(i, Math.imul(a, b), mulHigh(a, b));
	}
}

function accumulateStripes(view, at, count) {
	for (let i = 0; i < count; i++)
		accumulateStripe(view, at + i * STRIPE, i * 8);
}

function scramble() {
	for (let i = 0; i < 16; i += 2) {
		const at = SECRET_LENGTH - STRIPE + i * 4;
		const high = accumulators[i + 1];
		const low = accumulators[i] ^ high >>> 15 ^ secret.getInt32(at, true);
		accumulators[i] = Math.imul(low, PRIME32_1);
		accumulators[i + 1] = mul64High(low, high ^ secret.getInt32(at + 4, true), PRIME32_1, 0);
	}
}

function hashLong(view, length) {
	const lastBlock = Math.floor((length - 1) / BLOCK) * BLOCK;
	accumulators.set(START);
	for (let at = 0; at < lastBlock; at += BLOCK) {
		accumulateStripes(view, at, STRIPES_IN_BLOCK);
		scramble();
	}
	accumulateStripes(view, lastBlock, Math.floor((length - lastBlock - 1) / STRIPE));
	accumulateStripe(view, length - STRIPE, SECRET_LENGTH - STRIPE - 7);

	startSum(length);
	for (let i = 0; i < 16; i += 4) {
		const at = 11 + i * 4;
		addFoldedProduct(accumulators[i] ^ secret.getInt32(at, true),
			accumulators[i + 1] ^ secret.getInt32(at + 4, true),
			accumulators[i + 2] ^ secret.getInt32(at + 8, true),
			accumulators[i + 3] ^ secret.getInt32(at + 12, true));
	}
	finish();
}

/** Hash the first bytes of a DataView, of a length below 2^32. */
export function hashView(view, length) {
	if (length > 240)
		hashLong(view, length);
	else if (length > 128)
		hashUpTo240(view, length);
	else if (length > 16)
		hashUpTo128(view, length);
	else if (length > 8)
		hashUpTo16(view, length);
	else if (length > 3)
		hashUpTo8(view.getInt32(0, true), view.getInt32(length - 4, true), length);
	else if (length > 0)
		hashUpTo3(view, length);
	else
		finishAsXxh64(EMPTY_LOW, EMPTY_HIGH);
}

// Short arrays are copied: a view of a small array costs more than the hash.
const scratch = new DataView(new ArrayBuffer(256));
const scratchBytes = new Uint8Array(scratch.buffer);

/** Hash an array of bytes. */
export function hashBytes(bytes) {
	const { length } = bytes;
	if (length <= scratchBytes.length) {
		scratchBytes.set(bytes);
		hashView(scratch, length);
	} else
		hashView(new DataView(bytes.buffer, bytes.byteOffset, length), length);
}

/** Hash the 4 bytes of an integer, the lowest first. */
export function hashInt32(value) {
	hashUpTo8(value, value, 4);
}

/** Hash the 8 bytes of an integer, the lowest first; given by its halves. */
export function hashInt64(low, high) {
	hashUpTo8(low, high, 8);
}
