// bytes.js
//
// Arrays of bytes, of whichever realm: instanceof knows only those of its own.

/** Is the value a Uint8Array, or another array of bytes? */
export function isBytes(value) {
	return ArrayBuffer.isView(value) && value.BYTES_PER_ELEMENT === 1;
}

const HYPHEN = 45;
const COLON = 58;

// Of a hexadecimal digit, by its character code: letters of both cases have bit 6
function valueOfDigit(code) {
	return (code & 15) + (code & 64 ? 9 : 0);
}

/**
 * So many bytes from pairs of hexadecimal digits, which begin at a place of a text; hyphens
 * and colons between pairs are skipped.
 */
export function bytesOfHex(text, start, length) {
	const bytes = new Uint8Array(length);
	let at = start;
	for (let i = 0; i < length; i++) {
		const code = text.charCodeAt(at);
		if (code === HYPHEN || code === COLON)
			at++;
		bytes[i] = valueOfDigit(text.charCodeAt(at)) << 4 | valueOfDigit(text.charCodeAt(at + 1));
		at += 2;
	}
	return bytes;
}
