// image.js
//
// Reads and checks the bytes of a filter, with the server's reasons for refusing them, in
// the server's order.  FORMAT.md describes every byte.

import { InvalidFilterError } from './errors.js';
import { isNested, NONE, RANGE } from './families.js';
import { BLOOM, KINDS } from './kinds.js';

export const HEADER_BYTES = 60;
export const RECORD_BYTES = 64;
export const FORMAT_VERSION = 1;
export const HASH_SCHEME = 1;
const MAX_GROWTH = 100;
export const MAX_LIST = 128;
export const MAX_LAYERS = 64;
export const MAX_BYTES = 2 ** 29;
export const MAX_CAPACITY = 2n ** 63n - 1n;

/** The flag of a filter that an intersection made. */
export const INTERSECTION = 1;

// Offsets in the header
const AT_KIND = 0, AT_VERSION = 1, AT_SCHEME = 2, AT_HEADER_BYTES = 3, AT_RECORD_BYTES = 4;
const AT_GROWTH = 5, AT_FLAGS = 6, AT_FAMILY = 8, AT_LIST = 10, AT_LAYERS = 12;
const AT_RESERVED_1 = 14, AT_SUBTYPE = 16, AT_SALT = 20, AT_CAPACITY = 28, AT_FPP = 36;
const AT_RESERVED_2 = 44;

// Offsets in a layer record
const AT_LAYER_BINS = 0, AT_LAYER_KEY_BITS = 4, AT_LAYER_RESERVED_1 = 5, AT_LAYER_CAPACITY = 8;
const AT_LAYER_FPP = 16, AT_LAYER_FULL_AT = 24, AT_LAYER_SET = 32, AT_LAYER_RESERVED_2 = 40;

function isCapacity(capacity) {
	return capacity >= 1n && capacity <= MAX_CAPACITY;
}

function isFpp(fpp) {
	return fpp > 0 && fpp < 1;
}

/** Are so many bytes zero? */
export function isZero(view, at, length) {
	for (let i = 0; i < length; i++) {
		if (view.getUint8(at + i) !== 0)
			return false;
	}
	return true;
}

// A number of 64 bits, which is rounded above 2^53: too large for whatever it counts.
function getCount(view, at) {
	return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

/** The view through which the numbers of an image are read and written. */
export function viewOf(bytes) {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// The layer of a record, and why it is refused, or null.
function readLayer(view, at, kind) {
	const layer = {
		bins: view.getUint32(at + AT_LAYER_BINS, true),
		keyBits: view.getUint8(at + AT_LAYER_KEY_BITS),
		capacity: view.getBigUint64(at + AT_LAYER_CAPACITY, true),
		fpp: view.getFloat64(at + AT_LAYER_FPP, true),
		fullAt: getCount(view, at + AT_LAYER_FULL_AT),
		set: getCount(view, at + AT_LAYER_SET),
		offset: 0,
	};
	let reason = kind.checkLayer(layer);
	if (reason === null) {
		if (!isCapacity(layer.capacity))
			reason = 'The capacity of a layer is not positive.';
		else if (!isFpp(layer.fpp))
			reason = 'The false-positive rate of a layer is not between 0 and 1.';
		else if (!kind.isSet && layer.set === 0)
			reason = 'There is a layer without keys.';
		else if (!isZero(view, at + AT_LAYER_RESERVED_1, 3) ||
			!isZero(view, at + AT_LAYER_RESERVED_2, 24))
			reason = 'Reserved bytes of a layer are not zero.';
	}
	return [layer, reason];
}

/** Set the offsets of the layers, and return the length of the image. */
export function layOut(image) {
	let length = HEADER_BYTES + image.listed * 8 + image.layers.length * RECORD_BYTES;
	for (const layer of image.layers) {
		layer.offset = length;
		length += KINDS[image.kind].bytes(layer);
	}
	return length;
}

/**
 * Read header and layer records, whatever follows them.
 *
 * @param {DataView} view
 * @param {number} [wanted] the kind that the image must have
 * @param {(condition: boolean, reason: string) => void} check throws without the condition
 * @returns an image without its bytes
 */
export function readRecords(view, wanted, check) {
	const length = view.byteLength;

	check(length >= HEADER_BYTES, 'It is shorter than a header.');
	const number = view.getUint8(AT_KIND);
	const kind = KINDS[number];
	check(kind !== undefined && (wanted === undefined || wanted === number),
		'It is of another kind of filter.');
	check(view.getUint8(AT_VERSION) === FORMAT_VERSION, 'The format version is unknown.');
	check(view.getUint8(AT_SCHEME) === HASH_SCHEME, 'The hash scheme is unknown.');
	check(view.getUint8(AT_HEADER_BYTES) === HEADER_BYTES &&
		view.getUint8(AT_RECORD_BYTES) === RECORD_BYTES,
		'The length of the header or of a layer record is wrong.');

	const image = {
		bytes: null,
		kind: number,
		growth: view.getUint8(AT_GROWTH),
		flags: view.getUint16(AT_FLAGS, true),
		family: view.getUint16(AT_FAMILY, true),
		subtype: view.getUint32(AT_SUBTYPE, true),
		capacity: view.getBigUint64(AT_CAPACITY, true),
		fpp: view.getFloat64(AT_FPP, true),
		listed: view.getUint16(AT_LIST, true),
		layers: [],
	};
	const layerCount = view.getUint16(AT_LAYERS, true);

	check(image.growth <= MAX_GROWTH, 'The growth factor is not between 0 and 100.');
	check((image.flags & ~INTERSECTION) === 0, 'An unknown flag is set.');
	check(image.family <= RANGE, 'The key family is unknown.');
	check(isNested(image.family) || image.subtype === 0,
		'A key family without parts has a subtype.');
	check(isCapacity(image.capacity), 'The capacity is not positive.');
	check(isFpp(image.fpp), 'The false-positive rate is not between 0 and 1.');
	check(isZero(view, AT_SALT, 8), 'A salt is set, which this hash scheme does not have.');
	check(isZero(view, AT_RESERVED_1, 2) && isZero(view, AT_RESERVED_2, 16),
		'Reserved bytes of the header are not zero.');

	check(image.listed <= MAX_LIST, 'The list is longer than 128 hashes.');
	check(layerCount <= MAX_LAYERS, 'There are more than 64 layers.');
	check(image.listed === 0 || layerCount === 0, 'There are both a list and layers.');
	check(kind.isSet || (image.growth === 0 && image.flags === 0 && image.listed === 0 &&
		layerCount <= 1),
		'This kind of filter has no growth, no flags, no list, and one layer at most.');
	check((image.family === NONE) === (image.listed === 0 && layerCount === 0),
		'There are keys without a key family, or the reverse.');

	check(length >= HEADER_BYTES + layerCount * RECORD_BYTES,
		'It is shorter than its layer records.');
	let binsBytes = 0;
	for (let i = 0; i < layerCount; i++) {
		const [layer, reason] = readLayer(view, HEADER_BYTES + i * RECORD_BYTES, kind);
		check(reason === null, reason);
		image.layers.push(layer);
		binsBytes += kind.bytes(layer);
	}
	check(!kind.layerRepeatsHeader || layerCount === 0 ||
		(image.layers[0].capacity === image.capacity && image.layers[0].fpp === image.fpp),
		'The capacity or rate of the layer is not that of the header.');
	check(binsBytes <= MAX_BYTES, 'The layers together have more than 512 MB of blocks.');
	return image;
}

function readMetadata(view, wanted, check) {
	const image = readRecords(view, wanted, check);

	check(layOut(image) === view.byteLength, 'Its length does not match what its header says.');
	return image;
}

function isAscending(view, listed) {
	for (let i = 1; i < listed; i++) {
		const at = HEADER_BYTES + i * 8;
		if (view.getBigUint64(at - 8, true) >= view.getBigUint64(at, true))
			return false;
	}
	return true;
}

/**
 * Read an image.
 *
 * @param {Uint8Array} bytes of a buffer of their own, which the image keeps
 * @param {number} [wanted] the kind that it must have
 * @returns an image: the bytes, and what header and records say
 * @throws {InvalidFilterError}
 */
export function readImage(bytes, wanted) {
	const name = (KINDS[wanted ?? bytes[AT_KIND]])?.name ?? 'filter';
	const check = (condition, reason) => {
		if (!condition)
			throw new InvalidFilterError(`invalid value for type ${name}`, reason);
	};
	const image = readMetadata(viewOf(bytes), wanted, check);

	image.bytes = bytes;
	check(isAscending(viewOf(bytes), image.listed),
		'The hashes of the list are not in ascending order.');
	const kind = KINDS[image.kind];
	for (const layer of image.layers)
		check(kind.countSet(bytes, layer) === layer.set, kind.wrongBins);
	return image;
}

/** An image of a bloom without keys. */
export function newImage(capacity, fpp, growth) {
	const image = {
		bytes: new Uint8Array(HEADER_BYTES),
		kind: BLOOM,
		growth,
		flags: 0,
		family: NONE,
		subtype: 0,
		capacity,
		fpp,
		listed: 0,
		layers: [],
	};
	writeMetadata(image);
	return image;
}

/** Write header and layer records into the bytes of an image. */
export function writeMetadata(image) {
	const view = viewOf(image.bytes);

	view.setUint8(AT_KIND, image.kind);
	view.setUint8(AT_VERSION, FORMAT_VERSION);
	view.setUint8(AT_SCHEME, HASH_SCHEME);
	view.setUint8(AT_HEADER_BYTES, HEADER_BYTES);
	view.setUint8(AT_RECORD_BYTES, RECORD_BYTES);
	view.setUint8(AT_GROWTH, image.growth);
	view.setUint16(AT_FLAGS, image.flags, true);
	view.setUint16(AT_FAMILY, image.family, true);
	view.setUint16(AT_LIST, image.listed, true);
	view.setUint16(AT_LAYERS, image.layers.length, true);
	view.setUint32(AT_SUBTYPE, image.subtype, true);
	view.setBigUint64(AT_CAPACITY, image.capacity, true);
	view.setFloat64(AT_FPP, image.fpp, true);
	for (const [i, layer] of image.layers.entries()) {
		const at = HEADER_BYTES + i * RECORD_BYTES;
		view.setUint32(at + AT_LAYER_BINS, layer.bins, true);
		view.setUint8(at + AT_LAYER_KEY_BITS, layer.keyBits);
		view.setBigUint64(at + AT_LAYER_CAPACITY, layer.capacity, true);
		view.setFloat64(at + AT_LAYER_FPP, layer.fpp, true);
		view.setBigUint64(at + AT_LAYER_FULL_AT, BigInt(layer.fullAt), true);
		view.setBigUint64(at + AT_LAYER_SET, BigInt(layer.set), true);
	}
}
