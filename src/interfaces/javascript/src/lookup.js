// lookup.js
//
// Looks for a hash in an image.

import { HEADER_BYTES, viewOf } from './image.js';
import { KINDS } from './kinds.js';

/**
 * Look for a hash in the list.
 *
 * @param image an image without layers
 * @param {number} low the lower half of the hash
 * @param {number} high the upper half
 * @returns {number} its place; or -1 - the place where it belongs
 */
export function findListed(image, low, high) {
	const view = viewOf(image.bytes);
	let first = 0;
	let end = image.listed;
	while (first < end) {
		const middle = first + end >> 1;
		const at = HEADER_BYTES + middle * 8;
		const order = (high >>> 0) - view.getUint32(at + 4, true) ||
			(low >>> 0) - view.getUint32(at, true);
		if (order === 0)
			return middle;
		if (order < 0)
			end = middle;
		else
			first = middle + 1;
	}
	return -1 - first;
}

/** How often the key of a hash was added, at most; to a bloom 0 or 1 times. */
export function countHash(image, low, high) {
	const { bytes, layers } = image;
	const kind = KINDS[image.kind];

	if (layers.length === 0)
		return findListed(image, low, high) >= 0 ? 1 : 0;
	// the last layer is the largest and has most of the keys
	for (let i = layers.length - 1; i >= 0; i--) {
		const count = kind.count(bytes, layers[i], low, high);
		if (count > 0)
			return count;
	}
	return 0;
}
