// base64.js
//
// The text form of an image: base64 as strict as the server's, and the server's reasons for
// refusing other texts.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = 61;

const characterOf = new TextEncoder().encode(ALPHABET);

// By character code: 0 .. 63, or -1
const valueOf = new Int8Array(128).fill(-1);
characterOf.forEach((code, value) => {
	valueOf[code] = value;
});

// The server decodes in pieces of so many characters.  Padding that is misplaced is not
// canonical in the last piece, and no base64 in the others.
const PIECE = 1 << 20;

const NOT_BASE64 = 'The value is not base64, without spaces and line breaks.';
const NOT_CANONICAL =
	'The base64 is not canonical: unused bits must be zero, and nothing may follow padding.';

// Of a character, or -1; one beyond ASCII has no entry.
function valueAt(text, i) {
	return valueOf[text.charCodeAt(i)] ?? -1;
}

// Why a text that is not the base64 of any bytes is refused.
function reasonToRefuse(text) {
	const lastPiece = Math.floor((text.length - 1) / PIECE) * PIECE;
	let padded = false;

	if (text.length % 4 !== 0)
		return NOT_BASE64;
	for (let i = 0; i < text.length; i++) {
		if (text.charCodeAt(i) === PADDING) {
			if (i < lastPiece || (!padded && i % 4 < 2))
				return NOT_BASE64;
			padded = true;
		} else if (valueAt(text, i) < 0)
			return NOT_BASE64;
	}
	return NOT_CANONICAL;
}

function countPadding(text) {
	if (!text.endsWith('='))
		return 0;
	return text.endsWith('==') ? 2 : 1;
}

// Put the bytes of whole groups into bytes; false for a character that is none of base64.
function decodeGroups(text, length, bytes) {
	let at = 0;
	for (let i = 0; i < length; i += 4) {
		const group = valueAt(text, i) << 18 | valueAt(text, i + 1) << 12 |
			valueAt(text, i + 2) << 6 | valueAt(text, i + 3);
		if (group < 0)
			return false;
		bytes[at++] = group >> 16;
		bytes[at++] = group >> 8;
		bytes[at++] = group;
	}
	return true;
}

// The same for the last group, of two or three characters and padding, whose unused bits
// must be zero.
function decodePaddedGroup(text, padding, bytes) {
	const start = text.length - 4;
	const group = valueAt(text, start) << 18 | valueAt(text, start + 1) << 12 |
		(padding === 1 ? valueAt(text, start + 2) << 6 : 0);
	if (group < 0 || (group & (padding === 1 ? 0xff : 0xffff)) !== 0)
		return false;
	bytes[bytes.length - 3 + padding] = group >> 16;
	if (padding === 1)
		bytes[bytes.length - 1] = group >> 8;
	return true;
}

/** How many bytes a text is the base64 of, if it is the base64 of any. */
export function decodedLength(text) {
	return Math.floor(text.length / 4) * 3 - countPadding(text);
}

/**
 * Decode a text.
 *
 * @param {string} text
 * @returns {Uint8Array | string} the bytes, or the server's reason to refuse the text
 */
export function decodeBase64(text) {
	if (text.length % 4 !== 0)
		return NOT_BASE64;

	const padding = countPadding(text);
	const bytes = new Uint8Array(text.length / 4 * 3 - padding);
	const whole = padding > 0 ? text.length - 4 : text.length;
	return decodeGroups(text, whole, bytes) &&
		(padding === 0 || decodePaddedGroup(text, padding, bytes)) ?
		bytes : reasonToRefuse(text);
}

/** @param {Uint8Array} bytes */
export function encodeBase64(bytes) {
	const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
	let at = 0;

	for (let i = 0; i < bytes.length; i += 3) {
		// bytes behind the end are undefined, which is 0 in a shift
		const group = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
		text[at++] = characterOf[group >> 18];
		text[at++] = characterOf[group >> 12 & 63];
		text[at++] = characterOf[group >> 6 & 63];
		text[at++] = characterOf[group & 63];
	}
	text.fill(PADDING, text.length - (3 - bytes.length % 3) % 3);
	return new TextDecoder().decode(text);
}
