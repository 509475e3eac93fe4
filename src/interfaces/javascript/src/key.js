// key.js
//
// A key: what a filter knows of a value.

import { isBytes } from './bytes.js';
import {
	BOOLEAN, BYTEA, FAMILY_NAMES, FLOAT, isNested, NONE, NUMBER, TEXT,
} from './families.js';
import { hashDouble, hashSafeInteger, hashWhole } from './numbers.js';
import { hashText } from './text.js';
import { TYPES } from './types.js';
import { hash, hashBytes } from './xxh3.js';

function digits(value, count) {
	return (value >>> 0).toString(16).padStart(count, '0');
}

/** A hashed value, as of the type bloom_key.  Made by key() and Key.parse(); immutable. */
export class Key {
	/**
	 * Not for applications.
	 *
	 * @param {number} familyNumber
	 * @param {number} subtype of 32 bits
	 * @param {number} low the lower 32 bits of the hash
	 * @param {number} high the upper 32 bits
	 */
	constructor(familyNumber, subtype, low, high) {
		if (!(familyNumber > NONE && familyNumber < FAMILY_NAMES.length))
			throw new TypeError('keys are made by key(value, type) and Key.parse(text)');
		this.familyNumber = familyNumber;
		this.subtype = subtype >>> 0;
		this.low = low | 0;
		this.high = high | 0;
		Object.freeze(this);
	}

	/** The key family, for example 'number'. */
	get family() {
		return FAMILY_NAMES[this.familyNumber];
	}

	/** The hash, of 64 bits, as an unsigned BigInt. */
	get hash() {
		return BigInt(this.high >>> 0) << 32n | BigInt(this.low >>> 0);
	}

	/** Is the other the same key? */
	equals(other) {
		return other instanceof Key && other.familyNumber === this.familyNumber &&
			other.subtype === this.subtype && other.low === this.low && other.high === this.high;
	}

	/** The text form of bloom_key, which can serve as the key of a Map. */
	toString() {
		const subtype = isNested(this.familyNumber) ? `/${digits(this.subtype, 8)}` : '';
		return `${this.family}${subtype}:${digits(this.high, 8)}${digits(this.low, 8)}`;
	}

	toJSON() {
		return this.toString();
	}

	/**
	 * The key of a text form, such as the server's bloom_key(value)::text.
	 *
	 * @param {string} text
	 * @returns {Key}
	 * @throws {RangeError} for a text that the server would refuse
	 */
	static parse(text) {
		const [, name, subtype, high, low] = typeof text === 'string' ?
			/^([a-z]+)(?:\/([0-9a-f]{8}))?:([0-9a-f]{8})([0-9a-f]{8})$/.exec(text) ?? [] : [];
		const family = FAMILY_NAMES.indexOf(name);
		if (family <= NONE || isNested(family) !== (subtype !== undefined))
			throw new RangeError(`invalid input syntax for type bloom_key: "${text}"`);
		const number = (hexadecimal) => parseInt(hexadecimal, 16);
		return new Key(family, number(subtype ?? '0'), number(low), number(high));
	}
}

function noTypeFor(value) {
	if (value === null || value === undefined)
		return new TypeError(`${value} is not a key`);
	if (value instanceof Date)
		return new TypeError("a Date needs a type, and lacks the microseconds that the server's " +
			"value may have: write key(value, 'timestamptz') if it has none, or give a string");
	if (Array.isArray(value))
		return new TypeError('an array is one key of the server; write Key.parse(text) with the ' +
			'text of bloom_key there, or use containsAny, containsAll or addAll for its elements');
	return new TypeError(`a key cannot be made from a ${value.constructor?.name ?? typeof value}`);
}

function ambiguous(number) {
	const exact = Number.isSafeInteger(number) ? `key(${number}, 'bigint')` :
		`key('${number}', 'numeric')`;
	return new TypeError('a number can be of several SQL types: write ' +
		`${exact} or key(${number}, 'double precision')`);
}

/**
 * Hash a native value whose type is unambiguous, for a filter, and return its family.
 *
 * @param {*} value
 * @param {number} family that of the filter: whether a number is one, or a float; NONE: it can
 *     be neither
 */
export function hashNative(value, family) {
	switch (typeof value) {
		case 'number':
			if (family === FLOAT) {
				hashDouble(value);
				return FLOAT;
			}
			if (family === NONE)
				throw ambiguous(value);
			if (family !== NUMBER)
				return Number.isInteger(value) ? NUMBER : FLOAT;
			if (!Number.isSafeInteger(value))
				throw new RangeError(`${value} is not a safe integer; give a BigInt, ` +
					"or a string: key('0.5', 'numeric')");
			hashSafeInteger(value);
			return NUMBER;
		case 'string':
			hashText(value);
			return TEXT;
		case 'bigint':
			hashWhole(value);
			return NUMBER;
		case 'boolean':
			hashBytes(Uint8Array.of(value ? 1 : 0));
			return BOOLEAN;
		default:
			if (!isBytes(value))
				throw noTypeFor(value);
			hashBytes(value);
			return BYTEA;
	}
}

/**
 * The key of a value: the same as the server's bloom_key(value::type).
 *
 * Without a type, a boolean is a boolean, a BigInt a numeric, a string a text and a
 * Uint8Array a bytea; any other value needs a type.
 *
 * @param {*} value a native value that fits the type, or a string in the form that PostgreSQL
 *     prints with DateStyle ISO
 * @param {string} [type] the name of a SQL type, without length or precision
 * @returns {Key}
 * @throws {TypeError} for a value of which no key can be made, or not without a type
 * @throws {RangeError} for a value that the type does not have
 */
export function key(value, type) {
	if (value === null || value === undefined)
		throw noTypeFor(value);
	if (type === undefined) {
		const family = hashNative(value, NONE);
		return new Key(family, 0, hash[0], hash[1]);
	}

	const known = TYPES.get(type);
	if (known === undefined)
		throw new RangeError(`"${type}" is not a type of which keys are made; ` +
			`these are ${[...TYPES.keys()].join(', ')}`);
	known.hashValue(value, type);
	return new Key(known.family, 0, hash[0], hash[1]);
}
