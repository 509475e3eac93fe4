// numbers.js
//
// Numbers as keys.  A whole number within bigint is hashed as such, any other number as its
// shortest decimal text; a float as the bits of its double.

import { hashText, withoutTrailing } from './text.js';
import { hashInt64 } from './xxh3.js';

const MIN_BIGINT = -(2n ** 63n);
const MAX_BIGINT = 2n ** 63n - 1n;

// What numeric can have
const MAX_DIGITS_BEFORE_POINT = 131072;
const MAX_DIGITS_AFTER_POINT = 16383;

const DECIMAL = /^([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?$/;
const NAN = /^nan$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** Hash a safe integer as a bigint. */
export function hashSafeInteger(value) {
	hashInt64(value | 0, Math.floor(value / 4294967296) | 0);
}

/** Hash a BigInt within bigint as that. */
export function hashBigint(value) {
	hashInt64(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
}

/** Hash a BigInt as a number; a RangeError if numeric does not have it. */
export function hashWhole(value) {
	if (value >= MIN_BIGINT && value <= MAX_BIGINT) {
		hashBigint(value);
		return;
	}
	const text = String(value);
	if (text.length - (value < 0 ? 1 : 0) > MAX_DIGITS_BEFORE_POINT)
		throw new RangeError(`a numeric has at most ${MAX_DIGITS_BEFORE_POINT} digits`);
	hashText(text);
}

/**
 * Take a text apart: its sign, '-' or ''; its digits without leading zeros; and the power of
 * ten that these are multiplied with.  Null for what is no decimal.
 */
function parseDecimal(text) {
	const match = DECIMAL.exec(text);
	if (match === null)
		return null;
	const [, sign, before = '', after = '', fraction = after, exponent = '0'] = match;
	return {
		sign: sign === '-' ? '-' : '',
		digits: (before + fraction).replace(/^0+/, ''),
		exponent: Number(exponent) - fraction.length,
	};
}

// The shortest decimal text without exponent.
function shortestDecimal({ sign, digits, exponent }) {
	if (exponent >= 0)
		return sign + digits + '0'.repeat(exponent);
	const padded = digits.padStart(1 - exponent, '0');
	const fraction = withoutTrailing('0', padded.slice(exponent));
	return sign + padded.slice(0, exponent) + (fraction === '' ? '' : '.') + fraction;
}

/** Hash a text as a numeric; false if it is none. */
export function hashNumeric(text) {
	const infinite = INFINITE.exec(text);
	if (infinite !== null || NAN.test(text)) {
		hashText(infinite === null ? 'NaN' : infinite[1] === '-' ? '-Infinity' : 'Infinity');
		return true;
	}

	const decimal = parseDecimal(text);
	if (decimal === null || -decimal.exponent > MAX_DIGITS_AFTER_POINT ||
		(decimal.digits !== '' &&
			decimal.digits.length + decimal.exponent > MAX_DIGITS_BEFORE_POINT))
		return false;
	const shortest = decimal.digits === '' ? '0' : shortestDecimal(decimal);
	// 20 characters: the sign and 19 digits of the smallest bigint
	if (shortest.length <= 20 && !shortest.includes('.'))
		hashWhole(BigInt(shortest));
	else
		hashText(shortest);
	return true;
}

const double = new DataView(new ArrayBuffer(8));

/** Hash a number as a double. */
export function hashDouble(value) {
	double.setFloat64(0, value === 0 ? 0 : value);
	if (Number.isNaN(value))
		hashInt64(0, 0x7ff80000);
	else
		hashInt64(double.getInt32(4), double.getInt32(0));
}

/** The double that a text means, or null; overflow and underflow are refused. */
export function parseDouble(text) {
	if (NAN.test(text))
		return NaN;
	const infinite = INFINITE.exec(text);
	if (infinite !== null)
		return infinite[1] === '-' ? -Infinity : Infinity;
	const decimal = parseDecimal(text);
	if (decimal === null)
		return null;
	const value = Number(text);
	return !Number.isFinite(value) || (value === 0 && decimal.digits !== '') ? null : value;
}

// The next float32 from a finite one in the direction of a double.
function neighbourTowards(float, value) {
	const view = new DataView(new ArrayBuffer(4));
	if (float === 0)
		return Math.sign(value) * 2 ** -149;
	view.setFloat32(0, float);
	view.setInt32(0, view.getInt32(0) + (Math.abs(value) > Math.abs(float) ? 1 : -1));
	return view.getFloat32(0);
}

// -1, 0 or 1: is the decimal less than a finite double, the same, or greater?
function compareWithDouble({ sign, digits, exponent }, value) {
	let decimal = BigInt(sign + (digits || '0'));
	let scale = 0;
	// a double is a whole number divided by a power of two
	while (!Number.isInteger(value)) {
		value *= 2;
		scale++;
	}
	let other = BigInt(value);
	decimal <<= BigInt(scale);
	if (exponent >= 0)
		decimal *= 10n ** BigInt(exponent);
	else
		other *= 10n ** BigInt(-exponent);
	return decimal < other ? -1 : decimal > other ? 1 : 0;
}

/**
 * The float32 that a text means, or null.  It is not always that of the double that the text
 * means: a double halfway between two float32 can have been rounded to there.
 */
export function parseReal(text) {
	const value = parseDouble(text);
	if (value === null || !Number.isFinite(value))
		return value;

	let float = Math.fround(value);
	if (!Number.isFinite(float))
		return null;
	if (float !== value) {
		const other = neighbourTowards(float, value);
		const decimal = parseDecimal(text);
		if ((float + other) / 2 === value) {
			const side = compareWithDouble(decimal, value);
			if (side !== 0 && side === Math.sign(other - float))
				float = other;
		}
		if (float === 0 && decimal.digits !== '')
			return null;
	}
	return float;
}
