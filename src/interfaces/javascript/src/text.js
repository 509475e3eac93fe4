// text.js
//
// Texts as keys: the hash of their UTF-8.

import { hashView } from './xxh3.js';

// Short texts are encoded here: TextEncoder takes longer than their hash.
const SCRATCH_LENGTH = 3072;
const scratch = new DataView(new ArrayBuffer(SCRATCH_LENGTH));
const scratchBytes = new Uint8Array(scratch.buffer);

/**
 * Put the UTF-8 of a text into bytes, with room for three bytes for each unit of it, and
 * return how many they are.
 */
function encodeUtf8(text, bytes) {
	let at = 0;
	for (let i = 0; i < text.length; i++) {
		let code = text.charCodeAt(i);
		if (code < 0x80) {
			if (code === 0)
				throw new RangeError('a text in PostgreSQL has no NUL character');
			bytes[at++] = code;
			continue;
		}
		if (code < 0x800)
			bytes[at++] = 0xc0 | code >> 6;
		else {
			if (code >= 0xd800 && code < 0xe000) {
				const next = text.charCodeAt(++i);
				if (code >= 0xdc00 || !(next >= 0xdc00 && next < 0xe000))
					throw new RangeError('a text with a lone surrogate has no UTF-8');
				code = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff);
				bytes[at++] = 0xf0 | code >> 18;
				bytes[at++] = 0x80 | code >> 12 & 0x3f;
			} else
				bytes[at++] = 0xe0 | code >> 12;
			bytes[at++] = 0x80 | code >> 6 & 0x3f;
		}
		bytes[at++] = 0x80 | code & 0x3f;
	}
	return at;
}

/**
 * Hash the UTF-8 of a text, and return how many bytes that has.  A RangeError for a text that
 * PostgreSQL cannot have.
 */
export function hashText(text) {
	let view = scratch;
	let bytes = scratchBytes;

	if (text.length * 3 > SCRATCH_LENGTH) {
		bytes = new Uint8Array(text.length * 3);
		view = new DataView(bytes.buffer);
	}
	const length = encodeUtf8(text, bytes);
	hashView(view, length);
	return length;
}

/** The text without all of one character at its end. */
export function withoutTrailing(character, text) {
	let end = text.length;
	while (end > 0 && text[end - 1] === character)
		end--;
	return text.slice(0, end);
}
