// network.js
//
// Addresses as keys: inet and cidr, macaddr and macaddr8.

import { bytesOfHex } from './bytes.js';
import { hashBytes, hashView } from './xxh3.js';

const address = new DataView(new ArrayBuffer(18));
const bytes = new Uint8Array(address.buffer);

// Put the four bytes of an IPv4 address at an offset; false if it is none.
function readIpv4(text, at) {
	const parts = text.split('.');
	return parts.length === 4 && parts.every((part, i) => {
		bytes[at + i] = Number(part);
		return /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256;
	});
}

// Put the groups of a part of an IPv6 address, between colons, behind an offset.  Returns
// the offset behind them, or -1.
function readGroups(text, at) {
	const groups = text === '' ? [] : text.split(':');
	for (const [i, group] of groups.entries()) {
		if (i === groups.length - 1 && group.includes('.')) {
			if (at > 14 || !readIpv4(group, at))
				return -1;
			at += 4;
		} else {
			if (at > 16 || !/^[0-9a-f]{1,4}$/i.test(group))
				return -1;
			address.setUint16(at, parseInt(group, 16));
			at += 2;
		}
	}
	return at;
}

// Put the sixteen bytes of an IPv6 address at offset 2; false if it is none.
function readIpv6(text) {
	const parts = text.split('::');
	if (parts.length > 2 || (parts.length === 2 && parts[0].includes('.')))
		return false;
	const end = readGroups(parts[0], 2);
	if (parts.length === 1 || end < 0)
		return end === 18;

	const lastEnd = readGroups(parts[1], end);
	if (lastEnd < 0 || lastEnd > 16)
		return false;
	// move what is behind the two colons to the end
	bytes.copyWithin(18 - (lastEnd - end), end, lastEnd);
	bytes.fill(0, end, 18 - (lastEnd - end));
	return true;
}

// Are all bits of the address behind the prefix zero?
function endsWithPrefix(prefix, length) {
	for (let bit = prefix; bit < length; bit++) {
		if (bytes[2 + (bit >> 3)] & 0x80 >> (bit & 7))
			return false;
	}
	return true;
}

/**
 * Hash an address with or without a prefix length; false if it is none.
 *
 * @param {string} text
 * @param {boolean} isCidr whether all bits behind the prefix must be zero
 */
export function hashNetwork(text, isCidr) {
	const [, host, prefix] = /^([^/]*)(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(text) ?? [];
	if (host === undefined)
		return false;

	const isIpv6 = host.includes(':');
	const length = isIpv6 ? 128 : 32;
	const prefixLength = prefix === undefined ? length : Number(prefix);
	if (prefixLength > length || !(isIpv6 ? readIpv6(host) : readIpv4(host, 2)) ||
		(isCidr && !endsWithPrefix(prefixLength, length)))
		return false;
	bytes[0] = isIpv6 ? 6 : 4;
	bytes[1] = prefixLength;
	hashView(address, 2 + length / 8);
	return true;
}

const MACADDR = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i;
const MACADDR8 = /^[0-9a-f]{2}(?::[0-9a-f]{2}){7}$/i;

/** Hash a text of six bytes, or of eight if they may be; false if it is none. */
export function hashMacaddr(text, mayBeEight) {
	if (MACADDR.test(text)) {
		// widened as the cast to macaddr8 does
		const six = bytesOfHex(text, 0, 6);
		hashBytes(Uint8Array.of(six[0], six[1], six[2], 0xff, 0xfe, six[3], six[4], six[5]));
		return true;
	}
	if (mayBeEight && MACADDR8.test(text)) {
		hashBytes(bytesOfHex(text, 0, 8));
		return true;
	}
	return false;
}
