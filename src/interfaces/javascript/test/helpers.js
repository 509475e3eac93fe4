// helpers.js
//
// What the tests share: the vectors, packages that may be missing, and random numbers that
// are the same in each run.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = process.env.BLOOMTYPE_VECTORS ??
	fileURLToPath(new URL('../../../../test/vectors', import.meta.url));

/** The objects of test/vectors/NAME.json. */
export function vectors(name) {
	return JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'));
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
