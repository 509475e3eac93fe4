// bench.js
//
// How long one probe takes, its hash included.
//
//	node bench.js FILE
//
// FILE has the text of a bloom of the numbers 1 .. 1000000, for example
//
//	psql -XAtc "SELECT bloom_agg(i, 1000000, 0.01) FROM generate_series(1, 1000000) i" >FILE
//
// Prints a line `NAME NANOSECONDS' for each kind of key; also of the packages bloom-filters
// and bloomfilter, where NODE_PATH or a folder above has them.  Half of the keys are in the
// filter.  The times are medians of 9 rounds.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { Bloom, key } from '../src/index.js';

const KEYS = 1000000;
const PROBES = 200000;
const WARM_UP = 3;
const ROUNDS = 9;

// Where an image has `full at' of its first layer: see FORMAT.md
const AT_FULL_AT = 60 + 24;

const require = createRequire(import.meta.url);

// A package, or null where it is missing
async function load(name) {
	try {
		return await import(pathToFileURL(require.resolve(name)).href);
	} catch {
		return null;
	}
}

// Time probes of the numbers of every key, and check that no key is missed.
function measure(name, probe, probes = PROBES) {
	const times = [];
	for (let round = 0; round < WARM_UP + ROUNDS; round++) {
		let found = 0;
		const start = process.hrtime.bigint();
		for (let i = 0; i < probes; i++)
			found += probe(i) ? 1 : 0;
		times.push(Number(process.hrtime.bigint() - start) / probes);
		if (found < probes / 2 || found > probes * 0.52)
			throw new Error(`${name}: ${found} of ${probes} keys found`);
	}
	times.splice(0, WARM_UP);
	times.sort((a, b) => a - b);
	console.log(`${name} ${times[ROUNDS >> 1].toFixed(0)}`);
}

// A number in the filter, or, for odd i, one that is not
function numberOf(i) {
	return i % 2 === 0 ? 1 + (i * 4.99 | 0) : KEYS + i;
}

function uuidOf(n) {
	const digits = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
	return `${digits}-1234-4abc-89de-${n.toString(16).padStart(12, '0')}`;
}

// A filter of as many keys as that of the file, and of its size
function filterOf(file, keyOf) {
	const { capacity, target_fpp: fpp, bits, probes } = file.info();
	const fullAt = new DataView(file.toBytes().buffer).getBigUint64(AT_FULL_AT, true);
	const sizing = { blocks: bits / 512, probes, full_at: fullAt };
	const filter = Bloom.create(capacity, { fpp, sizing });
	filter.addAll(Array.from({ length: KEYS }, (_, i) => keyOf(i + 1)));
	return filter;
}

const numbers = Bloom.parse(readFileSync(process.argv[2], 'utf8').trim());
const integers = Array.from({ length: PROBES }, (_, i) => numberOf(i));
const textOf = (n) => `customer${n}@example.com`;
const texts = integers.map(textOf);
const uuids = integers.map(uuidOf);
const bigints = integers.map(BigInt);

measure('integer', (i) => numbers.contains(integers[i]));
measure('bigint', (i) => numbers.contains(bigints[i]));
{
	const filter = filterOf(numbers, textOf);
	measure('text', (i) => filter.contains(texts[i]));
}
{
	const filter = filterOf(numbers, (n) => key(uuidOf(n), 'uuid'));
	measure('uuid', (i) => filter.contains(key(uuids[i], 'uuid')));
}

const jasondavies = await load('bloomfilter');
if (jasondavies !== null) {
	const filter = jasondavies.BloomFilter.withTargetError(KEYS, 0.01);
	for (let n = 1; n <= KEYS; n++)
		filter.add(String(n));
	measure('bloomfilter_integer', (i) => filter.test(String(integers[i])));
	const ofTexts = jasondavies.BloomFilter.withTargetError(KEYS, 0.01);
	for (let n = 1; n <= KEYS; n++)
		ofTexts.add(textOf(n));
	measure('bloomfilter_text', (i) => ofTexts.test(texts[i]));
}

const bloomFilters = await load('bloom-filters');
if (bloomFilters !== null) {
	// fewer keys and probes, as each takes many microseconds
	const filter = bloomFilters.default.BloomFilter.create(KEYS / 20, 0.01);
	for (let n = 1; n <= KEYS / 20; n++)
		filter.add(textOf(n));
	const some = texts.map((text, i) => (i % 2 === 0 ? textOf(1 + i / 2) : text));
	measure('bloom-filters_text', (i) => filter.has(some[i]), PROBES / 20);
}
