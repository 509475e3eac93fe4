// int64.js
//
// Products of 64-bit numbers.  Such a number is a pair of 32-bit integers, low and high:
// BigInt is some fifty times slower.

/** The upper 32 bits of the product of two unsigned 32-bit integers, as a signed one. */
export function mulHigh(a, b) {
	const aLow = a & 0xffff, aHigh = a >>> 16;
	const bLow = b & 0xffff, bHigh = b >>> 16;
	// neither sum passes 32 bits
	const middle = Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16);
	const other = Math.imul(aLow, bHigh) + (middle & 0xffff);
	return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (other >>> 16)) | 0;
}

/**
 * The upper half of the product of two 64-bit numbers, modulo 2^64; the lower half is
 * Math.imul(low, factorLow).
 */
export function mul64High(low, high, factorLow, factorHigh) {
	return (Math.imul(low, factorHigh) + Math.imul(high, factorLow) + mulHigh(low, factorLow)) | 0;
}
