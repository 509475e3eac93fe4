// filter.js
//
// The three types of filters, and matrices of filters.

import { decodeBase64, decodedLength, encodeBase64 } from './base64.js';
import { isBytes } from './bytes.js';
import { InvalidFilterError, KeyMismatchError } from './errors.js';
import { keysOfLayers } from './estimate.js';
import { FAMILY_NAMES, isNested, NONE, TEXT } from './families.js';
import { addHashes, readSizing } from './growth.js';
import {
	HEADER_BYTES, INTERSECTION, MAX_BYTES, MAX_CAPACITY, MAX_LAYERS, newImage, readImage,
} from './image.js';
import { Key, hashNative } from './key.js';
import { BLOCK_BYTES, BLOOM, COUNTING_BLOOM, CUCKOO, KINDS, MAX_COUNTER } from './kinds.js';
import { countHash } from './lookup.js';
import {
	findColumn, idsOf, imageOfColumn, layersOf, MATRIX, readMatrix, searchHash,
} from './matrix.js';
import { hash } from './xxh3.js';

const MAX_GROWTH = 100;

// What the functions of this module call the constructors with
const INTERNAL = Symbol('internal');

// For each family without parts, the type to name for a key of it
const FAMILY_TYPES = [
	undefined, 'boolean', 'bigint', 'double precision', 'text', 'bytea', 'uuid', 'oid', 'date',
	'timestamp', 'timestamptz', 'time', 'inet', 'macaddr8',
];

// By the number of the kind; where code is minified, the names of classes are others
const CLASS_NAMES = [undefined, 'Bloom', 'CountingBloom', 'Cuckoo'];

// Are the options an object with some of these names?  One with an example is for the message.
function checkOptions(options, example, ...names) {
	if (typeof options !== 'object' || options === null || Array.isArray(options))
		throw new TypeError(`options must be an object, such as ${example}`);
	for (const name of Object.keys(options)) {
		if (!names.includes(name))
			throw new TypeError(`"${name}" is not an option; ` +
				(names.length > 1 ? `these are ${names.join(', ')}` : `${names[0]} is`));
	}
}

// The bytes of a text or of bytes, not yet checked, and of a buffer of their own; name: that of
// the type, for messages.
function decodeData(data, options, name) {
	checkOptions(options, '{ maxBytes: 10000000 }', 'maxBytes');
	const { maxBytes = Infinity } = options;
	if (!(typeof maxBytes === 'number' && maxBytes >= 0))
		throw new RangeError('maxBytes must be a number of at least 0');
	const checkLength = (length) => {
		if (length > maxBytes)
			throw new InvalidFilterError(`invalid value for type ${name}`,
				`It is longer than ${maxBytes} bytes.`);
	};

	if (typeof data === 'string') {
		checkLength(decodedLength(data));
		const bytes = decodeBase64(data);
		if (typeof bytes === 'string')
			throw new InvalidFilterError(`invalid input syntax for type ${name}`, bytes);
		return bytes;
	}
	if (!isBytes(data) && !(data instanceof ArrayBuffer))
		throw new TypeError('a filter is parsed from a string or a Uint8Array');
	checkLength(data.byteLength);
	// a copy: the bytes may be part of a buffer that a driver uses again
	return new Uint8Array(isBytes(data) ? data : data.slice(0));
}

// The image of a text or of bytes; wanted: the kind that it must be of.
function readData(data, options, wanted) {
	return readImage(decodeData(data, options, KINDS[wanted].name), wanted);
}

function mismatch(image, key, isAdded) {
	const { family } = image;
	const filterName = FAMILY_NAMES[family];
	const keyName = FAMILY_NAMES[key.family];
	const other = key.family === family;
	const message = isAdded ?
		`cannot add a key of family ${keyName} to a filter of ${filterName} keys` +
			(other ? ' of another subtype' : '') :
		`cannot probe a filter of ${filterName} keys with a key of family ${keyName}` +
			(other ? ' and another subtype' : '');
	return new KeyMismatchError(`${message}; write ${howToMakeKey(family, keyName)}`);
}

function howToMakeKey(family, keyName) {
	if (isNested(family))
		return 'Key.parse(text) with the text of bloom_key on the server';
	if (family !== TEXT)
		return `key(value, '${FAMILY_TYPES[family]}') with the type of the filter's keys`;
	return keyName === 'number' ? 'String(value)' : 'the string that the server prints for value::text';
}

// Leave the hash of a native value or Key in hash, and check that it is one for the filter,
// which has keys.
function hashFor(image, key, isAdded = false) {
	if (key instanceof Key) {
		if (key.familyNumber !== image.family || key.subtype !== image.subtype)
			throw mismatch(image, { family: key.familyNumber }, isAdded);
		hash[0] = key.low;
		hash[1] = key.high;
		return;
	}
	const family = hashNative(key, image.family);
	if (family !== image.family)
		throw mismatch(image, { family }, isAdded);
}

// A filter without keys may be asked about any key.
function checkAnyKey(key) {
	if (!(key instanceof Key) && typeof key !== 'number')
		hashNative(key, NONE);
}

function count(image, key) {
	if (image.family === NONE) {
		checkAnyKey(key);
		return 0;
	}
	hashFor(image, key);
	return countHash(image, hash[0], hash[1]);
}

function iterableOfKeys(keys) {
	if (typeof keys === 'string' || isBytes(keys) || typeof keys?.[Symbol.iterator] !== 'function')
		throw new TypeError('keys must be an array, or another iterable object');
	return keys;
}

// As the server rounds: halves to even.
function round(value) {
	const rounded = Math.round(value);
	return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

// A bigint is a number where that is exact.
function plainNumber(value) {
	return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

// Has a union merged layers, as there were too many layers or blocks?
function hasMergedLayers(image) {
	const blocks = image.layers.reduce((sum, layer) => sum + layer.bins, 0);
	return (image.layers.length === MAX_LAYERS || blocks > MAX_BYTES / BLOCK_BYTES / 2) &&
		isSaturated(image);
}

function cardinalityOf(image) {
	const kind = KINDS[image.kind];
	if ((image.flags & INTERSECTION) !== 0 || !image.layers.every(kind.canEstimateKeys))
		return null;
	if (image.layers.length < 2)
		return round(image.layers.reduce((keys, layer) => keys + kind.keys(layer), image.listed));
	if (hasMergedLayers(image))
		return null;
	const keys = keysOfLayers(image.layers.map((layer) => ({
		fpp: layer.fpp,
		capacity: Number(layer.capacity),
		isFull: layer.set > layer.fullAt,
		keys: kind.keys(layer),
		rate: kind.fpp(layer),
	})), image.growth);
	return keys === null ? null : round(keys);
}

function fppOf(image) {
	const kind = KINDS[image.kind];
	return image.layers.reduce((fpp, layer) => fpp + kind.fpp(layer) * (1 - fpp), 0);
}

function isSaturated(image) {
	return image.layers.some(KINDS[image.kind].isSaturated);
}

// The info of a filter that has one layer, or none; by the names of three of its columns.
function infoOfLayer(filter, keyBits, size, fill) {
	const image = imageOf(filter);
	const [layer] = image.layers;
	const { placesOfBin, shownOfBin } = KINDS[image.kind];

	return {
		key_family: filter.family,
		capacity: plainNumber(image.capacity),
		target_fpp: image.fpp,
		[keyBits]: layer?.keyBits ?? null,
		[size]: layer ? layer.bins * shownOfBin : null,
		bytes: image.bytes.length,
		[fill]: layer ? layer.set / (layer.bins * placesOfBin) : 0,
		keys: filter.cardinality(),
		current_fpp: filter.currentFpp(),
		saturated: isSaturated(image),
	};
}

// Of two images, whose lengths are multiples of 4; the first byte tells the type.
function sameBytes(bytes, other) {
	if (bytes.length !== other.length)
		return false;
	const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
	const others = new Int32Array(other.buffer, other.byteOffset, other.length / 4);
	return words.every((word, i) => word === others[i]);
}

let imageOf;

/** What all filters have in common. */
class Filter {
	#image;

	/** Not for applications, which call parse() or Bloom.create(). */
	constructor(image, caller) {
		if (caller !== INTERNAL)
			throw new TypeError('filters are made by parse(data) and Bloom.create(capacity)');
		this.#image = image;
	}

	static {
		imageOf = (filter) => filter.#image;
	}

	/** The name of the SQL type. */
	get kind() {
		return KINDS[this.#image.kind].name;
	}

	/** The key family, for example 'number'; 'none' of a filter without keys. */
	get family() {
		return FAMILY_NAMES[this.#image.family];
	}

	/** Is a key in the filter?  False: certainly not; true: probably. */
	contains(key) {
		return count(this.#image, key) > 0;
	}

	/** Is at least one of the keys in the filter? */
	containsAny(keys) {
		for (const key of iterableOfKeys(keys)) {
			if (this.contains(key))
				return true;
		}
		return false;
	}

	/** Are all keys in the filter? */
	containsAll(keys) {
		for (const key of iterableOfKeys(keys)) {
			if (!this.contains(key))
				return false;
		}
		return true;
	}

	/** An array of those of the keys, in order, that are certainly not in the filter. */
	missing(keys) {
		return Array.from(iterableOfKeys(keys)).filter((key) => !this.contains(key));
	}

	/** The number of keys, an estimate of blocks; null where it cannot be told. */
	cardinality() {
		return cardinalityOf(this.#image);
	}

	/** The false-positive rate of the filter as it is. */
	currentFpp() {
		return fppOf(this.#image);
	}

	/** Is the other a filter of the same type, with the same bytes? */
	equals(other) {
		return other instanceof Filter && sameBytes(this.#image.bytes, other.#image.bytes);
	}

	/** A copy of the image. */
	toBytes() {
		return this.#image.bytes.slice();
	}

	/** The text form, which PostgreSQL reads. */
	toText() {
		return encodeBase64(this.#image.bytes);
	}

	/** As toText(). */
	toJSON() {
		return this.toText();
	}

	/** A summary, for people. */
	toString() {
		const { capacity, fpp, bytes } = this.#image;
		return `${CLASS_NAMES[this.#image.kind]} { family: '${this.family}', ` +
			`capacity: ${capacity}, fpp: ${fpp}, bytes: ${bytes.length} }`;
	}

	/** What console.log() shows in Node.js. */
	[Symbol.for('nodejs.util.inspect.custom')]() {
		return this.toString();
	}
}

/** A Bloom filter: PostgreSQL's type bloom. */
export class Bloom extends Filter {
	#sizing = null;

	/** Parse a filter of this kind. */
	static parse(data, options = {}) {
		return new Bloom(readData(data, options, BLOOM), INTERNAL);
	}

	/** A filter without keys, as bloom_create() makes it. */
	static create(capacity, options = {}) {
		checkOptions(options, '{ fpp: 0.001 }', 'fpp', 'growth', 'sizing');
		const { fpp = 0.01, growth = 2, sizing = null } = options;
		if (typeof capacity !== 'bigint' && !Number.isSafeInteger(capacity))
			throw new TypeError('capacity must be a whole number');
		if (capacity < 1 || capacity > MAX_CAPACITY)
			throw new RangeError('capacity must be at least 1, and a bigint');
		if (!(typeof fpp === 'number' && fpp > 0 && fpp < 1))
			throw new RangeError(
				'false-positive rate must be greater than 0 and less than 1');
		// of so many keys, an absent one has the hash of one at this rate
		if (fpp < Number(capacity) / 2 ** 64)
			throw new RangeError(
				`false-positive rate of ${fpp} is too low for a capacity of ${capacity}`);
		if (!(Number.isInteger(growth) && growth >= 0 && growth <= MAX_GROWTH))
			throw new RangeError('growth must be between 0 and 100');

		const filter = new Bloom(newImage(BigInt(capacity), fpp, growth), INTERNAL);
		filter.#sizing = readSizing(sizing, BigInt(capacity), fpp, growth);
		return filter;
	}

	/** Add a key, as bloom_add() does, in place. */
	add(key) {
		return this.addAll([key]);
	}

	/** Add keys, as bloom_add_all() does, in place: all of them, or none. */
	addAll(keys) {
		// an iterator may add keys itself
		const list = [...iterableOfKeys(keys)];
		const image = imageOf(this);
		const added = { family: image.family, subtype: image.subtype, lows: [], highs: [] };

		for (const key of list) {
			if (added.family !== NONE)
				hashFor(added, key, true);
			else if (key instanceof Key) {
				added.family = key.familyNumber;
				added.subtype = key.subtype;
				hashFor(added, key);
			} else
				added.family = hashNative(key, NONE);
			added.lows.push(hash[0]);
			added.highs.push(hash[1]);
		}
		addHashes(image, this.#sizing, added);
		return this;
	}

	/** The columns of bloom_info(). */
	info() {
		const image = imageOf(this);
		const { layers } = image;
		const sum = (value) => layers.reduce((total, layer) => total + value(layer), 0);
		const { placesOfBin } = KINDS[BLOOM];
		const bits = sum((layer) => layer.bins * placesOfBin);

		return {
			key_family: this.family,
			capacity: plainNumber(image.capacity),
			target_fpp: image.fpp,
			growth: image.growth,
			layers: layers.length,
			probes: layers.length > 0 ? sum((layer) => layer.keyBits) : null,
			bits: layers.length > 0 ? bits : null,
			bytes: image.bytes.length,
			fill: layers.length > 0 ? sum((layer) => layer.set) / bits : null,
			keys: this.cardinality(),
			current_fpp: this.currentFpp(),
			saturated: isSaturated(image),
		};
	}
}

/** A counting Bloom filter: PostgreSQL's type counting_bloom. */
export class CountingBloom extends Filter {
	/** Parse a filter of this kind. */
	static parse(data, options = {}) {
		return new CountingBloom(readData(data, options, COUNTING_BLOOM), INTERNAL);
	}

	/** How often a key was added, at most; null for 15 times or more. */
	count(key) {
		const copies = count(imageOf(this), key);
		return copies < MAX_COUNTER ? copies : null;
	}

	/** The columns of counting_bloom_info(). */
	info() {
		return infoOfLayer(this, 'probes', 'counters', 'fill');
	}
}

/** A cuckoo filter: PostgreSQL's type cuckoo. */
export class Cuckoo extends Filter {
	/** Parse a filter of this kind. */
	static parse(data, options = {}) {
		return new Cuckoo(readData(data, options, CUCKOO), INTERNAL);
	}

	/** How often a key was added, at most. */
	count(key) {
		return count(imageOf(this), key);
	}

	/** The columns of cuckoo_info(). */
	info() {
		return infoOfLayer(this, 'fingerprint_bits', 'buckets', 'load');
	}
}

/** Many Bloom filters, each with an id: PostgreSQL's type bloom_matrix. */
export class Matrix {
	#matrix;

	/** Not for applications, which call parse() or Matrix.parse(). */
	constructor(matrix, caller) {
		if (caller !== INTERNAL)
			throw new TypeError('matrices are made by parse(data) and Matrix.parse(data)');
		this.#matrix = matrix;
	}

	/** Parse a matrix. */
	static parse(data, options = {}) {
		return new Matrix(readMatrix(decodeData(data, options, 'bloom_matrix')), INTERNAL);
	}

	/** The name of the SQL type. */
	get kind() {
		return 'bloom_matrix';
	}

	/** The key family; 'none' if no filter has keys. */
	get family() {
		return FAMILY_NAMES[this.#matrix.family];
	}

	/** The ids of the filters, as BigInts, ascending. */
	columns() {
		return idsOf(this.#matrix);
	}

	/** The ids of the filters that probably contain a key, as BigInts, ascending. */
	search(key) {
		const matrix = this.#matrix;
		if (matrix.family === NONE) {
			checkAnyKey(key);
			return [];
		}
		hashFor(matrix, key);
		return searchHash(matrix, hash[0], hash[1]);
	}

	/** The filter with an id; null if there is none. */
	filter(id) {
		if (typeof id !== 'bigint' && !Number.isSafeInteger(id))
			throw new TypeError('an id is a BigInt or a safe integer');
		const column = findColumn(this.#matrix, BigInt(id));
		return column < 0 ? null :
			new Bloom(readImage(imageOfColumn(this.#matrix, column), BLOOM), INTERNAL);
	}

	/** The columns of bloom_matrix_info(). */
	info() {
		const { columns, blocks, probes, bytes } = this.#matrix;
		let maxFpp = 0;
		for (const layer of layersOf(this.#matrix))
			maxFpp = Math.max(maxFpp, KINDS[BLOOM].fpp(layer));
		return {
			key_family: this.family, columns, blocks, probes, bytes: bytes.length, max_fpp: maxFpp,
		};
	}

	/** Is the other a matrix with the same bytes? */
	equals(other) {
		return other instanceof Matrix && sameBytes(this.#matrix.bytes, other.#matrix.bytes);
	}

	/** A copy of the image. */
	toBytes() {
		return this.#matrix.bytes.slice();
	}

	/** The text form, which PostgreSQL reads. */
	toText() {
		return encodeBase64(this.#matrix.bytes);
	}

	/** As toText(). */
	toJSON() {
		return this.toText();
	}

	/** A summary, for people. */
	toString() {
		const { columns, blocks, bytes } = this.#matrix;
		return `Matrix { family: '${this.family}', columns: ${columns}, blocks: ${blocks}, ` +
			`bytes: ${bytes.length} }`;
	}

	/** What console.log() shows in Node.js. */
	[Symbol.for('nodejs.util.inspect.custom')]() {
		return this.toString();
	}
}

const CLASSES = [undefined, Bloom, CountingBloom, Cuckoo];

/**
 * Parse a filter of any kind, or a matrix of filters.
 *
 * @param {string | Uint8Array | ArrayBuffer} data its text, as PostgreSQL prints it, or its
 *     bytes, as its cast to bytea gives them
 * @param {{ maxBytes?: number }} [options] how many bytes it may have, before it is decoded
 * @returns {Bloom | CountingBloom | Cuckoo | Matrix}
 * @throws {InvalidFilterError} for what the server would refuse, and for more than maxBytes
 */
export function parse(data, options = {}) {
	const bytes = decodeData(data, options, 'filter');
	if (bytes.length >= HEADER_BYTES && bytes[0] === MATRIX)
		return new Matrix(readMatrix(bytes), INTERNAL);
	const image = readImage(bytes);
	return new CLASSES[image.kind](image, INTERNAL);
}
