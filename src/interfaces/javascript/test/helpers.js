// helpers.js
//
// What the tests share: the vectors, packages that may be missing, and random numbers that
// are the same in each run.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = process.env.BLOOMTYPE_VECTORS ??
	fileURLToPath(new URL('../../../../test/vectors', import.meta.url));

/** The objects of test/vectors/NAME.json, where n letters A, zeros in base64, are written as A{n}. */
export function vectors(name) {
	return JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')
		.replace(/A\{(\d+)\}/g, (_, n) => 'A'.repeat(n)));
}

/** A package that tests can do without; NODE_PATH tells where to look for it, too. */
export function optionalPackage(name) {
	try {
		return createRequire(import.meta.url)(name);
	} catch {
		return null;
	}
}

/** A function that gives a random whole number below n; of 32 bits, by xorshift. */
export function randomNumbers(seed) {
	let state = seed * 0x9e3779b9 | 1;
	return (n) => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return Math.floor((state >>> 0) / 2 ** 32 * n);
	};
}

/**
 * The image of a cuckoo filter of fingerprints of so many bits: with these bytes of buckets, in
 * which so many fingerprints are said to be.
 */
export function cuckooImage(fingerprintBits, buckets, stored, bins) {
	const bytes = new Uint8Array(124 + Math.ceil(buckets * 4 * fingerprintBits / 64) * 8);
	const view = new DataView(bytes.buffer);
	// kind, version, scheme, lengths; the family number; one layer
	bytes.set([3, 1, 1, 60, 64, 0, 0, 0, 2, 0, 0, 0, 1]);
	for (const atCapacity of [28, 68]) {
		view.setBigUint64(atCapacity, 1000n, true);
		view.setFloat64(atCapacity + 8, 0.01, true);
	}
	view.setUint32(60, buckets, true);
	view.setUint8(64, fingerprintBits);
	view.setBigUint64(92, BigInt(stored), true);
	bytes.set(bins, 124);
	return bytes;
}
