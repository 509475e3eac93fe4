// errors.js
//
// What can be wrong besides a value: of an image, of a key's family, and of room.

/** An image, or its text form, that the server would refuse as well, or longer than maxBytes. */
export class InvalidFilterError extends Error {
	/**
	 * @param {string} message the server's message
	 * @param {string} reason the server's detail, or that it is longer: a sentence
	 */
	constructor(message, reason) {
		super(`${message}: ${reason}`);
		this.name = 'InvalidFilterError';
		this.reason = reason;
	}
}

/** A key of another family, or of another subtype, than those of the filter. */
export class KeyMismatchError extends Error {
	constructor(message) {
		super(message);
		this.name = 'KeyMismatchError';
	}
}

/** A key for which the filter needs a new layer, which only the server can make. */
export class FilterFullError extends Error {
	constructor(message) {
		super(message);
		this.name = 'FilterFullError';
	}
}
