// types.ts
//
// Compiled, not run: what index.d.ts accepts, and what it does not.
import {
	Bloom, type CountingBloom, type Cuckoo, FilterFullError, InvalidFilterError, Key, key,
	KeyMismatchError, Matrix, parse,
} from 'bloomtype';

const value: Bloom | CountingBloom | Cuckoo | Matrix = parse('', { maxBytes: 100 });
if (value.kind === 'bloom_matrix') {
	const ids: bigint[] = value.search('x').concat(value.columns());
	const column: Bloom | null = value.filter(ids[0] ?? 5);
	const rate: number = Matrix.parse('').info().max_fpp;
	void [column, rate];
	throw new Error(String(value));
}
const filter: Bloom | CountingBloom | Cuckoo = value;
const known: boolean = filter.contains(5) && filter.contains('x') && filter.contains(key('x'));
const cardinality: number | null = filter.cardinality();

if (filter.kind === 'cuckoo') {
	const count: number = filter.count(5n);
	const bits: number | null = filter.info().fingerprint_bits;
	void [count, bits];
}

const bloom = Bloom.create(1000, {
	fpp: 0.001, sizing: { blocks: '32', probes: 9, full_at: 7022n },
});
bloom.add(1n).addAll(new Set([2n, 3n])).addAll([key(4, 'bigint'), key('5', 'numeric')]);
const missing: string[] = bloom.missing(['a', 'b']);
const same: boolean = bloom.equals(filter);
const text: string = bloom.toText() + bloom.toString();
const bytes: Uint8Array = Bloom.parse(new ArrayBuffer(60)).toBytes();
const hash: bigint = Key.parse('number:2fbc593564db792e').hash;
key(new Date(), 'timestamptz');

try {
	bloom.add(true);
} catch (error) {
	if (error instanceof InvalidFilterError)
		error.reason satisfies string;
	else if (error instanceof KeyMismatchError || error instanceof FilterFullError)
		error.message satisfies string;
}

// @ts-expect-error: a number needs a type
key(5);
// @ts-expect-error: so does a Date
key(new Date());
// @ts-expect-error: no such type
key('{}', 'jsonb');
// @ts-expect-error: null is no key
bloom.contains(null);
// @ts-expect-error: a bloom does not count
bloom.count(5);
// @ts-expect-error: no such option
Bloom.create(1000, { fp: 0.001 });
// @ts-expect-error: nor here
Bloom.parse('', { fpp: 0.001 });
// @ts-expect-error: options have names
Bloom.create(1000, 0.001);
// @ts-expect-error: filters are parsed or created
new Bloom();
// @ts-expect-error: matrices are parsed
new Matrix();
// @ts-expect-error: a matrix is no filter
Matrix.parse('').contains('x');
// @ts-expect-error: a key is immutable
key('x').hash = 5n;

void [known, cardinality, missing, same, text, bytes, hash];
