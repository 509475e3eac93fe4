/**
 * Reads filters of the PostgreSQL extension bloomtype, and builds those of type bloom.
 *
 * A TypeError is for a value of a wrong JavaScript type, and for one that could be a key of
 * several SQL types.  A RangeError is for a value of the right type that is out of range; which
 * ones, is said at each function.
 */

/** A native value whose SQL type is unambiguous, except that a number needs a filter. */
export type NativeKey = boolean | bigint | number | string | Uint8Array;

/** The name of a SQL type, without length or precision. */
export type KeyType =
	| 'boolean' | 'bool'
	| 'smallint' | 'int2' | 'integer' | 'int' | 'int4' | 'bigint' | 'int8'
	| 'numeric' | 'decimal'
	| 'real' | 'float4' | 'double precision' | 'float8'
	| 'text' | 'varchar' | 'character varying' | 'bpchar' | 'character' | 'name'
	| 'bytea' | 'uuid' | 'oid' | 'date'
	| 'timestamp' | 'timestamp without time zone'
	| 'timestamptz' | 'timestamp with time zone'
	| 'time' | 'time without time zone'
	| 'inet' | 'cidr' | 'macaddr' | 'macaddr8';

/** The name of a key family: of the types that share their keys. */
export type KeyFamily =
	| 'boolean' | 'number' | 'float' | 'text' | 'bytea' | 'uuid' | 'oid' | 'date'
	| 'timestamp' | 'timestamptz' | 'time' | 'network' | 'macaddr' | 'array' | 'row' | 'range';

/** A hashed value, as of the type bloom_key.  Made by key() and Key.parse(); immutable. */
export class Key {
	private constructor();

	/** The key family. */
	readonly family: KeyFamily;

	/** Of an array, row or range, what its parts are, in 32 bits; otherwise 0. */
	readonly subtype: number;

	/** The hash, of 64 bits, unsigned. */
	readonly hash: bigint;

	/** Is the other the same key? */
	equals(other: unknown): boolean;

	/** The text form of bloom_key, which can serve as the key of a Map. */
	toString(): string;

	toJSON(): string;

	/**
	 * The key of a text form, such as the server's `bloom_key(value)::text`; keys of arrays,
	 * rows and ranges come from there.
	 *
	 * @throws RangeError for anything else than such a text
	 */
	static parse(text: string): Key;
}

/**
 * The key of a value: the same as the server's `bloom_key(value::type)`.
 *
 * Without a type, a boolean is a boolean, a bigint a numeric, a string a text and a
 * Uint8Array a bytea; any other value needs a type: `key(5, 'bigint')`.  With one, the value
 * is a native value that fits, or a string in the form that PostgreSQL prints with DateStyle
 * ISO.  Numbers as keys of integers and numeric must be safe integers.  A Date is a timestamptz
 * only, and has no microseconds: use strings where the server's values have them.
 *
 * @throws TypeError for a value of which no key can be made, or not without a type
 * @throws RangeError for a string that is not a value of the type, a number or Date out of its
 *     range, an integer or numeric given as a number that is no safe integer, a string with a NUL
 *     character or a lone surrogate, and a type that is not a KeyType
 */
export function key(value: boolean | bigint | string | Uint8Array): Key;
export function key(value: NativeKey | Date, type: KeyType): Key;

/** What all filters have in common.  Looking for keys does not change a filter. */
declare abstract class Filter {
	protected constructor();

	/** The name of the SQL type. */
	readonly kind: 'bloom' | 'counting_bloom' | 'cuckoo';

	/** The key family; 'none' of a filter without keys, which contains no key of any family. */
	readonly family: KeyFamily | 'none';

	/**
	 * Is a key in the filter?  False: certainly not; true: probably.  A number is a key of
	 * family number, or of double precision, whichever the filter has; where it was made from
	 * keys of type real, write `key(value, 'real')`, since 0.1 is another number there.
	 *
	 * @throws KeyMismatchError for a key of another family than those of the filter
	 * @throws TypeError for null, or another value of which no key can be made
	 * @throws RangeError for a number that is no safe integer, of a filter of family number, and
	 *     for a value that key(value) refuses as out of range
	 */
	contains(key: NativeKey | Key): boolean;

	/** Is at least one of the keys in the filter? */
	containsAny(keys: Iterable<NativeKey | Key>): boolean;

	/** Are all keys in the filter? */
	containsAll(keys: Iterable<NativeKey | Key>): boolean;

	/** An array of those of the keys, in order, that are certainly not in the filter. */
	missing<K extends NativeKey | Key>(keys: Iterable<K>): K[];

	/**
	 * The number of keys: exact of a list and of a cuckoo, otherwise an estimate; null where it
	 * cannot be told: of an intersection, of a filter with nearly all bits set, and where more than
	 * half of the keys were not added to a layer, as they seemed present in earlier ones.
	 */
	cardinality(): number | null;

	/** The false-positive rate, 0 to 1, of the filter as it is. */
	currentFpp(): number;

	/** Is the other a filter of the same type, with the same bytes? */
	equals(other: unknown): boolean;

	/** A copy of the image: what the server's cast to bytea gives, and takes back. */
	toBytes(): Uint8Array;

	/**
	 * The text form, base64, which PostgreSQL prints and reads; of up to 384 MB in engines such
	 * as V8.
	 */
	toText(): string;

	/** As toText(). */
	toJSON(): string;

	/** A summary, for people; not the text form. */
	toString(): string;
}

export type { Filter };

/** The columns of `bloom_info(filter)`. */
export interface BloomInfo {
	key_family: KeyFamily | 'none';
	/** A bigint only where a number would not be exact. */
	capacity: number | bigint;
	target_fpp: number;
	growth: number;
	layers: number;
	probes: number | null;
	bits: number | null;
	bytes: number;
	fill: number | null;
	keys: number | null;
	current_fpp: number;
	saturated: boolean;
}

/** The columns of `counting_bloom_info(filter)`. */
export interface CountingBloomInfo {
	key_family: KeyFamily | 'none';
	/** A bigint only where a number would not be exact. */
	capacity: number | bigint;
	target_fpp: number;
	probes: number | null;
	counters: number | null;
	bytes: number;
	fill: number;
	keys: number | null;
	current_fpp: number;
	saturated: boolean;
}

/** The columns of `cuckoo_info(filter)`. */
export interface CuckooInfo {
	key_family: KeyFamily | 'none';
	/** A bigint only where a number would not be exact. */
	capacity: number | bigint;
	target_fpp: number;
	fingerprint_bits: number | null;
	buckets: number | null;
	bytes: number;
	load: number;
	keys: number;
	current_fpp: number;
	saturated: boolean;
}

/**
 * The row of `bloom_sizing(capacity, fpp)`, as drivers give it; other columns are ignored.
 * All are null of a filter that stays a list.
 */
export interface Sizing {
	blocks: number | bigint | string | null;
	probes: number | bigint | string | null;
	full_at: number | bigint | string | null;
}

export interface ParseOptions {
	/**
	 * How many bytes the filter may have; by default any number, up to 512 MB.  It is checked
	 * before a text is decoded.
	 */
	maxBytes?: number;
}

export interface BloomOptions {
	/** The false-positive rate, greater than 0 and less than 1; by default 0.01. */
	fpp?: number;

	/** 0 to 100, by default 2; 0: the filter takes any number of keys in its first layer. */
	growth?: number;

	/** From the server, of the same capacity and fpp; without it, up to 128 keys fit. */
	sizing?: Sizing | null;
}

/** A Bloom filter: PostgreSQL's type bloom. */
export class Bloom extends Filter {
	readonly kind: 'bloom';

	/** As parse(), and refuses another kind. */
	static parse(data: string | Uint8Array | ArrayBuffer, options?: ParseOptions): Bloom;

	/**
	 * A filter without keys, as `bloom_create(capacity, fpp, growth)` makes it.
	 *
	 * @param capacity the number of distinct keys that the filter is made for, 1 to 2^63 - 1
	 * @throws TypeError for a capacity that is neither a bigint nor a safe integer, for options
	 *     that are no object, and for an option of another name
	 * @throws RangeError for a capacity, fpp or growth out of range, and for a sizing that is not
	 *     a row of bloom_sizing(capacity, fpp), or not one for this capacity or growth
	 */
	static create(capacity: number | bigint, options?: BloomOptions): Bloom;

	/** As addAll(), of one key. */
	add(key: NativeKey | Key): this;

	/**
	 * Add keys in place, with the same bytes as the server's bloom_add_all: all of them, or,
	 * after an error, none.
	 *
	 * The first key of a filter without keys decides on its family.  So that key cannot be a
	 * number, of which the family is not known, even if it is a safe integer: write
	 * `key(5, 'bigint')` or `5n`.  The keys after it can.
	 *
	 * @throws FilterFullError if the filter needs a layer that only the server can make
	 * @throws KeyMismatchError for a key of another family than those of the filter
	 * @throws TypeError for a number as the first key, null, or another value of which no key can
	 *     be made
	 * @throws RangeError as contains()
	 */
	addAll(keys: Iterable<NativeKey | Key>): this;

	info(): BloomInfo;
}

/** A counting Bloom filter: PostgreSQL's type counting_bloom. */
export class CountingBloom extends Filter {
	readonly kind: 'counting_bloom';

	/** As parse(), and refuses another kind. */
	static parse(data: string | Uint8Array | ArrayBuffer, options?: ParseOptions): CountingBloom;

	/** How often a key was added, at most; null, as in SQL, for 15 times or more. */
	count(key: NativeKey | Key): number | null;

	info(): CountingBloomInfo;
}

/** A cuckoo filter: PostgreSQL's type cuckoo. */
export class Cuckoo extends Filter {
	readonly kind: 'cuckoo';

	/** As parse(), and refuses another kind. */
	static parse(data: string | Uint8Array | ArrayBuffer, options?: ParseOptions): Cuckoo;

	/** How often a key was added, at most. */
	count(key: NativeKey | Key): number;

	info(): CuckooInfo;
}

/** The columns of `bloom_matrix_info(matrix)`. */
export interface MatrixInfo {
	key_family: KeyFamily | 'none';
	columns: number;
	blocks: number;
	probes: number;
	bytes: number;
	max_fpp: number;
}

/**
 * Many Bloom filters, each with an id, and the question which of them may contain a key:
 * PostgreSQL's type bloom_matrix.  It does not change.  Ids are BigInts, since they have 64 bits.
 */
export class Matrix {
	private constructor();

	/** The name of the SQL type. */
	readonly kind: 'bloom_matrix';

	/** The key family; 'none' if no filter has keys. */
	readonly family: KeyFamily | 'none';

	/** As parse(), and refuses what is no matrix. */
	static parse(data: string | Uint8Array | ArrayBuffer, options?: ParseOptions): Matrix;

	/** The ids of the filters, ascending. */
	columns(): bigint[];

	/**
	 * The ids of the filters that probably contain a key, ascending; the others certainly do not.
	 * Keys are those that the contains() of a filter takes, with the same errors.
	 */
	search(key: NativeKey | Key): bigint[];

	/**
	 * The filter with an id, with the bytes that it had when it was put into the matrix, but that
	 * a list comes back as a layer; null if there is none.  It takes memory of its own.
	 *
	 * @throws TypeError for an id that is neither a bigint nor a safe integer
	 */
	filter(id: bigint | number): Bloom | null;

	info(): MatrixInfo;

	/** Is the other a matrix with the same bytes? */
	equals(other: unknown): boolean;

	/** A copy of the image: what the server's cast to bytea gives, and takes back. */
	toBytes(): Uint8Array;

	/**
	 * The text form, base64, which PostgreSQL prints and reads; of up to 384 MB in engines such
	 * as V8.
	 */
	toText(): string;

	/** As toText(). */
	toJSON(): string;

	/** A summary, for people; not the text form. */
	toString(): string;
}

/**
 * Parse a filter of any kind, or a matrix of filters: of its text, as PostgreSQL prints it, or
 * of its bytes, which are copied.  Where the kind is known, parse() of its class has a result of
 * one type.
 *
 * @throws InvalidFilterError for what the server would refuse, and for more than maxBytes
 */
export function parse(data: string | Uint8Array | ArrayBuffer, options?: ParseOptions):
	Bloom | CountingBloom | Cuckoo | Matrix;

/** An image, or its text form, that the server would refuse as well, or longer than maxBytes. */
export class InvalidFilterError extends Error {
	private constructor();

	/** The server's detail, or that it is longer than maxBytes: a sentence. */
	readonly reason: string;
}

/** A key of another family, or of another subtype, than those of the filter. */
export class KeyMismatchError extends Error {
	private constructor();
}

/** A key for which the filter needs a new layer, which only the server can make. */
export class FilterFullError extends Error {
	private constructor();
}
