// javascript.mjs
//
// What the JavaScript package says of filters and keys, for the script beside it.  Input and
// output are lines of JSON.
//
//	node javascript.mjs probe TYPE FILTER   read [VALUE, ...]; print [VALUE, KEY, CONTAINS, COUNT]
//	node javascript.mjs native TYPE FILTER  the same by native values: print [VALUE, CONTAINS]
//	node javascript.mjs build TYPE CAPACITY FPP GROWTH SIZING
//	                                        read [VALUE, ...]; print the filter of the values
//	node javascript.mjs add TYPE FILTER     the same, added to a filter
//	node javascript.mjs sizings             read rows of bloom_sizing() with their capacity and fpp;
//	                                        print those that are accepted
//	node javascript.mjs numbers             read [FILTER]; print the number of its keys, or nothing
//	node javascript.mjs damage SEED COUNT   read [KIND, FILTER]; print KIND,TEXT
//	node javascript.mjs reasons             read [KIND, TEXT]; print [KIND, TEXT, REASON]
//	node javascript.mjs values SEED COUNT   print [TYPE, VALUE], with values of the shared vectors
//	                                        that are changed a little
//	node javascript.mjs keys                read [TYPE, VALUE, KEY]; print [TYPE, VALUE, KEY], with
//	                                        the server's key where JavaScript refuses the value
//
// FILTER and SIZING are files.
import { readFileSync } from 'node:fs';

import {
	Bloom, CountingBloom, Cuckoo, InvalidFilterError, key, parse,
} from '../../src/interfaces/javascript/src/index.js';
import { randomNumbers, vectors } from '../../src/interfaces/javascript/test/helpers.js';

const CLASSES = { bloom: Bloom, counting_bloom: CountingBloom, cuckoo: Cuckoo };

// The native value of a text, of the types that need no type
const NATIVE = {
	'boolean': (text) => text === 'true',
	'bigint': Number,
	'numeric': BigInt,
	'double precision': Number,
	'text': (text) => text,
	'bytea': (text) => Buffer.from(text.slice(2), 'hex'),
};

function fileText(name) {
	return readFileSync(name, 'utf8').trim();
}

function lines() {
	return readFileSync(0, 'utf8').split('\n').filter((line) => line !== '').map(JSON.parse);
}

function print(rows) {
	process.stdout.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

// Flip bits of a few bytes, most of them in header and records; or change the length.
function damage(image, random) {
	const bytes = [...image];
	const change = random(10);
	if (change === 0)
		bytes.length = random(bytes.length);
	else if (change === 1)
		bytes.push(...Array.from({ length: 1 + random(64) }, () => random(3)));
	else {
		for (let n = random(2); n >= 0; n--)
			bytes[random(random(4) === 0 ? bytes.length : Math.min(bytes.length, 124))] ^=
				1 << random(8);
	}
	return Buffer.from(bytes).toString('base64');
}

// Change a character, which may make it no base64.
function damageText(text, random) {
	const at = random(4) === 0 ? text.length - 1 - random(4) : random(text.length);
	return text.slice(0, at) + 'AQgw+/=-_ ='[random(11)] + text.slice(at + 1);
}

// Replace a few characters by others, or by those of another text, or by nothing.
function changeText(text, other, random) {
	const characters = `0123456789.-+eE:/ abcfINTxZ_BC${other}`;
	for (let n = random(2); n >= 0; n--) {
		const at = random(text.length + 1);
		text = text.slice(0, at) + (random(3) > 0 ? characters[random(characters.length)] : '') +
			text.slice(at + random(2));
	}
	return text;
}

function reasonFor(kind, text) {
	try {
		CLASSES[kind].parse(text);
		return null;
	} catch (error) {
		if (!(error instanceof InvalidFilterError))
			throw error;
		return error.reason;
	}
}

const commands = {
	probe(type, file) {
		const filter = parse(fileText(file));
		print(lines().map(([value]) => {
			const probed = key(value, type);
			const count = filter.count?.(probed) ?? null;
			return [value, String(probed), filter.contains(probed), count];
		}));
	},

	native(type, file) {
		const filter = parse(fileText(file));
		print(lines().map(([value]) => [value, filter.contains(NATIVE[type](value))]));
	},

	build(type, capacity, fpp, growth, sizing) {
		const filter = Bloom.create(Number(capacity), {
			fpp: Number(fpp), growth: Number(growth), sizing: JSON.parse(fileText(sizing)),
		});
		console.log(filter.addAll(lines().map(([value]) => key(value, type))).toText());
	},

	add(type, file) {
		const filter = Bloom.parse(fileText(file));
		console.log(filter.addAll(lines().map(([value]) => key(value, type))).toText());
	},

	sizings() {
		print(lines().filter((sizing) => {
			try {
				return Bloom.create(sizing.capacity, { fpp: Number(sizing.fpp), sizing });
			} catch (error) {
				if (!(error instanceof RangeError))
					throw error;
				return false;
			}
		}));
	},

	numbers() {
		for (const [text] of lines())
			console.log(Bloom.parse(text).cardinality() ?? '');
	},

	damage(seed, count) {
		const random = randomNumbers(Number(seed));
		const filters = lines();
		for (let i = 0; i < Number(count); i++) {
			const [kind, text] = filters[i % filters.length];
			const other = random(20) === 0 ? filters[random(filters.length)][0] : kind;
			console.log(`${other},${random(6) === 0 ? damageText(text, random) :
				damage(Buffer.from(text, 'base64'), random)}`);
		}
	},

	values(seed, count) {
		const random = randomNumbers(Number(seed));
		const known = vectors('keys').filter(({ value }) => /^[\0-\u07ff]{0,60}$/.test(value));
		print(Array.from({ length: Number(count) }, () => {
			const { type, value } = known[random(known.length)];
			return [type, changeText(value, known[random(known.length)].value, random)];
		}));
	},

	keys() {
		print(lines().map(([type, value, expected]) => {
			try {
				return [type, value, String(key(value, type))];
			} catch (error) {
				if (!(error instanceof RangeError))
					throw error;
				return [type, value, expected];
			}
		}));
	},

	reasons() {
		print(lines().map(([kind, text]) => [kind, text, reasonFor(kind, text)]));
	},
};

const [, , command, ...parameters] = process.argv;
commands[command](...parameters);
