// types.js
//
// How a value of a SQL type becomes a key: the family of its type, and the hash of its
// canonical bytes.  Each function is given a value and either leaves its hash in xxh3.js or
// throws.

import { bytesOfHex, isBytes } from './bytes.js';
import { parseDate, parseTime, parseTimestamp, timestampOfDate } from './datetime.js';
import * as families from './families.js';
import { hashMacaddr, hashNetwork } from './network.js';
import {
	hashBigint, hashDouble, hashNumeric, hashSafeInteger, hashWhole, parseDouble, parseReal,
} from './numbers.js';
import { hashText, withoutTrailing } from './text.js';
import { hashBytes, hashInt32 } from './xxh3.js';

const MAX_NAME_BYTES = 63;

function quoted(value) {
	const text = String(value);
	return `"${text.length > 60 ? `${text.slice(0, 60)}...` : text}"`;
}

function notOfType(type, value) {
	return new RangeError(`${quoted(value)} is not a value of type ${type}`);
}

function unfit(type, value, accepted) {
	const what = typeof value === 'object' ? value.constructor?.name ?? 'object' : typeof value;
	return new TypeError(`a key of type ${type} is made from ${accepted}, not from a ${what}`);
}

function hashBoolean(value, type) {
	const truth = value === 't' || value === 'true' ? true :
		value === 'f' || value === 'false' ? false : value;
	if (typeof truth !== 'boolean')
		throw typeof value === 'string' ? notOfType(type, value) :
			unfit(type, value, 'a boolean or a string');
	hashBytes(Uint8Array.of(truth ? 1 : 0));
}

// Whole numbers have up to 19 digits, and here as many leading zeros.
const WHOLE = /^[+-]?[0-9]{1,38}$/;

// A function that hands the BigInt of a whole number within bounds to another.
function wholeNumber(first, last, hashValue) {
	return (value, type) => {
		let whole = value;
		if (typeof value === 'string' && WHOLE.test(value))
			whole = BigInt(value.replace('+', ''));
		else if (typeof value === 'number' && Number.isSafeInteger(value))
			whole = BigInt(value);
		else if (typeof value === 'number')
			throw new RangeError(`${value} is not a safe integer; give a BigInt or a string`);
		else if (typeof value === 'string')
			throw notOfType(type, value);
		else if (typeof value !== 'bigint')
			throw unfit(type, value, 'a safe integer, a BigInt or a string');
		if (whole < first || whole > last)
			throw new RangeError(`${whole} is out of range for type ${type}`);
		hashValue(whole);
	};
}

const hashWholeOid = wholeNumber(0n, 2n ** 32n - 1n, (value) => hashInt32(Number(value)));

// With a leading zero, an oid is octal as of PostgreSQL 16, and decimal before.
function hashOid(value, type) {
	if (typeof value === 'string' && /^[+-]?0[0-9]/.test(value))
		throw notOfType(type, value);
	hashWholeOid(value, type);
}

function hashNumericValue(value, type) {
	if (typeof value === 'bigint')
		hashWhole(value);
	else if (typeof value === 'number') {
		if (!Number.isSafeInteger(value))
			throw new RangeError(`${value} is not a safe integer; give a BigInt or a string`);
		hashSafeInteger(value);
	} else if (typeof value !== 'string')
		throw unfit(type, value, 'a safe integer, a BigInt or a string');
	else if (!hashNumeric(value))
		throw notOfType(type, value);
}

// A function that hashes a number, given as such or as a text.
function floatingPoint(round, parse) {
	return (value, type) => {
		if (typeof value !== 'number' && typeof value !== 'string')
			throw unfit(type, value, 'a number or a string');
		const rounded = typeof value === 'number' ? round(value) : parse(value);
		if (rounded === null || (Number.isFinite(value) && !Number.isFinite(rounded)))
			throw notOfType(type, value);
		hashDouble(rounded);
	};
}

// A float32 that is zero only if the number is.
function roundToReal(value) {
	const float = Math.fround(value);
	return float === 0 && value !== 0 ? null : float;
}

function checkString(value, type) {
	if (typeof value !== 'string')
		throw unfit(type, value, 'a string');
}

function hashTextValue(value, type) {
	checkString(value, type);
	hashText(value);
}

function hashBpchar(value, type) {
	checkString(value, type);
	hashText(withoutTrailing(' ', value));
}

function hashName(value, type) {
	checkString(value, type);
	if (hashText(value) > MAX_NAME_BYTES)
		throw new RangeError(`${quoted(value)} is longer than a name can be, ` +
			`${MAX_NAME_BYTES} bytes`);
}

function hashBytea(value, type) {
	if (isBytes(value))
		hashBytes(value);
	else if (typeof value !== 'string')
		throw unfit(type, value, 'a Uint8Array or a string');
	else if (!/^\\x(?:[0-9a-fA-F]{2})*$/.test(value))
		throw notOfType(type, value);
	else
		hashBytes(bytesOfHex(value, 2, (value.length - 2) / 2));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function hashUuid(value, type) {
	if (isBytes(value) && value.length === 16)
		hashBytes(value);
	else if (typeof value !== 'string')
		throw unfit(type, value, 'a string or 16 bytes');
	else if (!UUID.test(value))
		throw notOfType(type, value);
	else
		hashBytes(bytesOfHex(value, 0, 16));
}

// A function that hashes what a parser makes of a text.
function parsed(parse, hashValue) {
	return (value, type) => {
		checkString(value, type);
		const result = parse(value);
		if (result === null)
			throw notOfType(type, value);
		hashValue(result);
	};
}

function hashTimestamptz(value, type) {
	if (typeof value !== 'string' && !(value instanceof Date))
		throw unfit(type, value, 'a Date or a string');
	const timestamp = value instanceof Date ? timestampOfDate(value) : parseTimestamp(value, true);
	if (timestamp === null)
		throw notOfType(type, value);
	hashBigint(timestamp);
}

// A function for a text that is hashed if it is well-formed.
function wellFormed(hashValue) {
	return (value, type) => {
		checkString(value, type);
		if (!hashValue(value))
			throw notOfType(type, value);
	};
}

const { NUMBER, FLOAT, TEXT } = families;

const int2 = wholeNumber(-32768n, 32767n, hashBigint);
const int4 = wholeNumber(-(2n ** 31n), 2n ** 31n - 1n, hashBigint);
const int8 = wholeNumber(-(2n ** 63n), 2n ** 63n - 1n, hashBigint);
const float4 = floatingPoint(roundToReal, parseReal);
const float8 = floatingPoint((value) => value, parseDouble);
const timestamp = parsed((text) => parseTimestamp(text, false), hashBigint);
const time = parsed(parseTime, hashBigint);

/** By the name of a SQL type: its key family, and the function that hashes its values. */
export const TYPES = new Map([
	['boolean', families.BOOLEAN, hashBoolean],
	['bool', families.BOOLEAN, hashBoolean],
	['smallint', NUMBER, int2],
	['int2', NUMBER, int2],
	['integer', NUMBER, int4],
	['int', NUMBER, int4],
	['int4', NUMBER, int4],
	['bigint', NUMBER, int8],
	['int8', NUMBER, int8],
	['numeric', NUMBER, hashNumericValue],
	['decimal', NUMBER, hashNumericValue],
	['real', FLOAT, float4],
	['float4', FLOAT, float4],
	['double precision', FLOAT, float8],
	['float8', FLOAT, float8],
	['text', TEXT, hashTextValue],
	['varchar', TEXT, hashTextValue],
	['character varying', TEXT, hashTextValue],
	['bpchar', TEXT, hashBpchar],
	['character', TEXT, hashBpchar],
	['name', TEXT, hashName],
	['bytea', families.BYTEA, hashBytea],
	['uuid', families.UUID, hashUuid],
	['oid', families.OID, hashOid],
	['date', families.DATE, parsed(parseDate, hashSafeInteger)],
	['timestamp', families.TIMESTAMP, timestamp],
	['timestamp without time zone', families.TIMESTAMP, timestamp],
	['timestamptz', families.TIMESTAMPTZ, hashTimestamptz],
	['timestamp with time zone', families.TIMESTAMPTZ, hashTimestamptz],
	['time', families.TIME, time],
	['time without time zone', families.TIME, time],
	['inet', families.NETWORK, wellFormed((text) => hashNetwork(text, false))],
	['cidr', families.NETWORK, wellFormed((text) => hashNetwork(text, true))],
	['macaddr', families.MACADDR, wellFormed((text) => hashMacaddr(text, false))],
	['macaddr8', families.MACADDR, wellFormed((text) => hashMacaddr(text, true))],
].map(([name, family, hashValue]) => [name, { family, hashValue }]));
