// matrix.js
//
// Reads and checks the bytes of a matrix of filters, with the server's reasons for refusing
// them, in the server's order, and looks for keys in them.  FORMAT.md describes every byte.

import { BLOCK_BITS } from './estimate.js';
import { InvalidFilterError } from './errors.js';
import { isNested, NONE, RANGE } from './families.js';
import {
	FORMAT_VERSION, HASH_SCHEME, HEADER_BYTES, isZero, MAX_BYTES, readRecords,
	RECORD_BYTES as LAYER_BYTES, viewOf,
} from './image.js';
import { mul64High, mulHigh } from './int64.js';
import {
	BLOCK_BYTES, BLOOM, isSizeClass, MAX_PROBES, MULTIPLIER_HIGH, MULTIPLIER_LOW,
} from './kinds.js';

/** The kind of a matrix, which no filter has. */
export const MATRIX = 4;

const RECORD_BYTES = HEADER_BYTES + LAYER_BYTES;

// Offsets in the header
const AT_KIND = 0, AT_VERSION = 1, AT_SCHEME = 2, AT_HEADER_BYTES = 3, AT_RECORD_BYTES = 4;
const AT_PROBES = 5, AT_RESERVED_1 = 6, AT_FAMILY = 8, AT_RESERVED_2 = 10, AT_COLUMNS = 12;
const AT_SUBTYPE = 16, AT_SALT = 20, AT_BLOCKS = 28, AT_RESERVED_3 = 32;

// Offsets in a record
const AT_LAYERS = 12, AT_LAYER_BLOCKS = 60, AT_LAYER_SET = 92;

// Words of slices that share cache lines
const TILE_WORDS = 16;

// Binary digits of 512
const PLANES = 10;

function recordOffset(matrix, column) {
	return HEADER_BYTES + matrix.columns * 8 + column * RECORD_BYTES;
}

function idOf(matrix, column) {
	return matrix.view.getBigInt64(HEADER_BYTES + column * 8, true);
}

function readHeader(bytes, check) {
	const view = viewOf(bytes);

	check(bytes.length >= HEADER_BYTES, 'It is shorter than a header.');
	check(view.getUint8(AT_KIND) === MATRIX, 'It is not a matrix of filters.');
	check(view.getUint8(AT_VERSION) === FORMAT_VERSION, 'The format version is unknown.');
	check(view.getUint8(AT_SCHEME) === HASH_SCHEME, 'The hash scheme is unknown.');
	check(view.getUint8(AT_HEADER_BYTES) === HEADER_BYTES &&
		view.getUint8(AT_RECORD_BYTES) === RECORD_BYTES,
		"The length of the header or of a column's record is wrong.");

	const matrix = {
		bytes,
		view,
		family: view.getUint16(AT_FAMILY, true),
		subtype: view.getUint32(AT_SUBTYPE, true),
		columns: view.getUint32(AT_COLUMNS, true),
		blocks: view.getUint32(AT_BLOCKS, true),
		probes: view.getUint8(AT_PROBES),
		sliceBytes: 0,
		slices: 0,
	};
	check(matrix.family <= RANGE, 'The key family is unknown.');
	check(isNested(matrix.family) || matrix.subtype === 0,
		'A key family without parts has a subtype.');
	check(isZero(view, AT_SALT, 8), 'A salt is set, which this hash scheme does not have.');
	check(isZero(view, AT_RESERVED_1, 2) && isZero(view, AT_RESERVED_2, 2) &&
		isZero(view, AT_RESERVED_3, 28), 'Reserved bytes of the header are not zero.');
	if (matrix.columns === 0)
		check(matrix.family === NONE && matrix.blocks === 0 && matrix.probes === 0,
			'A matrix without columns has keys, blocks or probes.');
	else {
		check(matrix.blocks >= 1 && matrix.blocks <= MAX_BYTES / BLOCK_BYTES &&
			isSizeClass(matrix.blocks), 'The number of blocks is not possible.');
		check(matrix.probes >= 1 && matrix.probes <= MAX_PROBES,
			'The number of probes is not between 1 and 24.');
	}

	// what is too large may be rounded, and remains too large
	matrix.sliceBytes = Math.ceil(matrix.columns / 64) * 8;
	matrix.slices = Math.ceil((recordOffset(matrix, matrix.columns) + 4) / 64) * 64 - 4;
	const length = matrix.slices + matrix.blocks * BLOCK_BITS * matrix.sliceBytes;
	check(length <= MAX_BYTES, 'It would have more than 512 MB.');
	check(length === bytes.length, 'Its length does not match what its header says.');
	return matrix;
}

// The metadata of the filter of a column, which has one layer or none.
function readRecord(matrix, column, check) {
	const { buffer, byteOffset } = matrix.bytes;
	const record = new DataView(buffer, byteOffset + recordOffset(matrix, column), RECORD_BYTES);
	const image = readRecords(record, BLOOM, check);

	check(image.listed === 0, 'The filter of a column has a list, or several layers.');
	return [image, record];
}

function checkRecords(matrix, check) {
	let mostBlocks = 0;

	for (let column = 0; column < matrix.columns; column++) {
		check(column === 0 || idOf(matrix, column - 1) < idOf(matrix, column),
			'The ids are not in ascending order.');
		const [image, record] = readRecord(matrix, column, check);
		const [layer] = image.layers;
		if (layer === undefined) {
			check(isZero(record, HEADER_BYTES, LAYER_BYTES),
				'A column without keys has the record of a layer.');
			continue;
		}
		check(image.family === matrix.family && image.subtype === matrix.subtype,
			'The keys of a column are of another family than those of the matrix.');
		check(layer.keyBits === matrix.probes,
			'A column has another number of probes than the matrix.');
		check(matrix.blocks % layer.bins === 0,
			'The number of blocks of a column does not divide that of the matrix.');
		mostBlocks = Math.max(mostBlocks, layer.bins);
	}
	// Without keys, the server also compares the blocks with those that it computes; no answer
	// depends on them.
	if (mostBlocks === 0)
		check(matrix.family === NONE, 'There is a key family, but no column has keys.');
	else
		check(mostBlocks === matrix.blocks, 'No column has as many blocks as the matrix.');
}

// Where the word of 32 bits of a slice is, of slice 0 of a block.
function wordOffset(matrix, block, word) {
	return matrix.slices + block * BLOCK_BITS * matrix.sliceBytes + word * 4;
}

// Take the bits of 32 columns in a block off what is left to be counted.  starts has the columns
// of which a block starts here; the others repeat the block before.  False if there are more bits
// than are left, or others.
function countBlock(matrix, block, word, starts, left, first, planes) {
	const { view, sliceBytes } = matrix;
	let at = wordOffset(matrix, block, word);
	let before = at - BLOCK_BITS * sliceBytes;

	planes.fill(0);
	for (let slice = 0; slice < BLOCK_BITS; slice++) {
		const bits = view.getInt32(at, true);
		let carry = bits & starts;
		if (starts !== -1 && ((bits ^ view.getInt32(before, true)) & ~starts) !== 0)
			return false;
		for (let i = 0; carry !== 0; i++) {
			const next = planes[i] & carry;
			planes[i] ^= carry;
			carry = next;
		}
		at += sliceBytes;
		before += sliceBytes;
	}
	for (let i = 0; i < 32; i++) {
		let count = 0;
		for (let digit = 0; digit < PLANES; digit++)
			count += (planes[digit] >>> i & 1) << digit;
		left[first + i] -= count;
		if (left[first + i] < 0)
			return false;
	}
	return true;
}

// Have so many words of the slices the bits that the records of their columns say?
function tileIsValid(matrix, firstWord, words) {
	const { view } = matrix;
	const ratios = new Uint32Array(words * 32).fill(1);
	const left = new Float64Array(words * 32);
	const planes = new Int32Array(PLANES);

	for (let i = 0; i < words * 32 && firstWord * 32 + i < matrix.columns; i++) {
		const at = recordOffset(matrix, firstWord * 32 + i);
		if (view.getUint16(at + AT_LAYERS, true) > 0) {
			ratios[i] = matrix.blocks / view.getUint32(at + AT_LAYER_BLOCKS, true);
			left[i] = Number(view.getBigUint64(at + AT_LAYER_SET, true));
		}
	}
	for (let block = 0; block < matrix.blocks; block++) {
		for (let word = 0; word < words; word++) {
			let starts = 0;
			for (let i = 0; i < 32; i++)
				starts |= (block % ratios[word * 32 + i] === 0 ? 1 : 0) << i;
			if (!countBlock(matrix, block, firstWord + word, starts, left, word * 32, planes))
				return false;
		}
	}
	return left.every((bits) => bits === 0);
}

/**
 * Read a matrix.
 *
 * @param {Uint8Array} bytes of a buffer of their own, which the matrix keeps
 * @returns a matrix: the bytes, and what the header says
 * @throws {InvalidFilterError}
 */
export function readMatrix(bytes) {
	const check = (condition, reason) => {
		if (!condition)
			throw new InvalidFilterError('invalid value for type bloom_matrix', reason);
	};
	const matrix = readHeader(bytes, check);
	const recordsEnd = recordOffset(matrix, matrix.columns);

	checkRecords(matrix, check);
	check(isZero(matrix.view, recordsEnd, matrix.slices - recordsEnd),
		'The bytes between the records and the slices are not zero.');
	for (let word = 0; word < matrix.sliceBytes / 4; word += TILE_WORDS)
		check(tileIsValid(matrix, word, Math.min(TILE_WORDS, matrix.sliceBytes / 4 - word)),
			'The bits of a column are not what its record says.');
	return matrix;
}

/** The ids of the columns. */
export function idsOf(matrix) {
	return Array.from({ length: matrix.columns }, (_, column) => idOf(matrix, column));
}

/** The layers of the columns that have one. */
export function* layersOf(matrix) {
	for (let column = 0; column < matrix.columns; column++)
		yield* readRecord(matrix, column, () => {})[0].layers;
}

/** The ids of the columns that may have a key, by the halves of its hash. */
export function searchHash(matrix, low, high) {
	const { bytes, sliceBytes } = matrix;
	const block = wordOffset(matrix, mulHigh(high, matrix.blocks), 0);
	const found = new Uint8Array(sliceBytes).fill(255);
	const ids = [];

	for (let probe = 0; probe < matrix.probes; probe++) {
		high = mul64High(low, high, MULTIPLIER_LOW, MULTIPLIER_HIGH);
		low = Math.imul(low, MULTIPLIER_LOW);
		const slice = block + (high >>> 23) * sliceBytes;
		for (let i = 0; i < sliceBytes; i++)
			found[i] &= bytes[slice + i];
	}
	for (let i = 0; i < sliceBytes; i++) {
		for (let bit = 0; found[i] >> bit > 0; bit++) {
			if ((found[i] >> bit & 1) !== 0)
				ids.push(idOf(matrix, i * 8 + bit));
		}
	}
	return ids;
}

/** The number of the column with an id, or -1. */
export function findColumn(matrix, id) {
	let low = 0;
	let high = matrix.columns;

	while (low < high) {
		const middle = Math.floor((low + high) / 2);
		if (idOf(matrix, middle) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < matrix.columns && idOf(matrix, low) === id ? low : -1;
}

/** The image of the filter of a column; one that was widened is narrowed. */
export function imageOfColumn(matrix, column) {
	const { bytes, view, sliceBytes } = matrix;
	const at = recordOffset(matrix, column);
	const hasLayer = view.getUint16(at + AT_LAYERS, true) > 0;
	const blocks = hasLayer ? view.getUint32(at + AT_LAYER_BLOCKS, true) : 0;
	const metadata = hasLayer ? RECORD_BYTES : HEADER_BYTES;
	const image = new Uint8Array(metadata + blocks * BLOCK_BYTES);

	image.set(bytes.subarray(at, at + metadata));
	for (let block = 0; block < blocks; block++) {
		let from = wordOffset(matrix, block * (matrix.blocks / blocks), 0) + (column >>> 3);
		const to = metadata + block * BLOCK_BYTES;
		for (let bit = 0; bit < BLOCK_BITS; bit++, from += sliceBytes)
			image[to + (bit >>> 3)] |= (bytes[from] >>> (column & 7) & 1) << (bit & 7);
	}
	return image;
}
