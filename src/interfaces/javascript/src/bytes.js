// bytes.js
//
// Arrays of bytes, of whichever realm: instanceof knows only those of its own.

/** Is the value a Uint8Array, or another array of bytes? */
export function isBytes(value) {
	return ArrayBuffer.isView(value) && value.BYTES_PER_ELEMENT === 1;
}

/** The bytes of hexadecimal digits, of which there are an even number. */
export function bytesOfHex(digits) {
	return Uint8Array.from({ length: digits.length / 2 },
		(_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
