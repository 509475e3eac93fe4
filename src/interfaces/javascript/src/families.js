// families.js
//
// Key families: which SQL types share their keys.  An image has their numbers.

/** The names, by number. */
export const FAMILY_NAMES = [
	'none', 'boolean', 'number', 'float', 'text', 'bytea', 'uuid', 'oid', 'date', 'timestamp',
	'timestamptz', 'time', 'network', 'macaddr', 'array', 'row', 'range',
];

export const NONE = 0, BOOLEAN = 1, NUMBER = 2, FLOAT = 3, TEXT = 4, BYTEA = 5, UUID = 6;
export const OID = 7, DATE = 8, TIMESTAMP = 9, TIMESTAMPTZ = 10, TIME = 11, NETWORK = 12;
export const MACADDR = 13, ARRAY = 14, ROW = 15, RANGE = 16;

/** Do keys of the family have a subtype, which tells what their parts are? */
export function isNested(family) {
	return family >= ARRAY;
}
