// javascript.mjs
//
// What the JavaScript package says of filters and keys, for the script beside it.
//
//	node javascript.mjs run FILE            run the commands in the file, which reader.sh describes
//
// Input and output of the others are lines, of JSON but for the first:
//
//	node javascript.mjs native TYPE FILTER  read values; print if the filter, which is in a file, has
//	                                        these native values
//	node javascript.mjs values SEED COUNT   print [TYPE, VALUE], with values of the shared vectors
//	                                        that are changed a little
//	node javascript.mjs keys                read [TYPE, VALUE, KEY]; print [TYPE, VALUE, KEY], with
//	                                        the server's key where JavaScript refuses the value
import { readFileSync, writeFileSync } from 'node:fs';

import {
	Bloom, CountingBloom, Cuckoo, InvalidFilterError, Key, key, parse,
} from '../../src/interfaces/javascript/src/index.js';
import { randomNumbers, vectors } from '../../src/interfaces/javascript/test/helpers.js';

const CLASSES = { bloom: Bloom, counting_bloom: CountingBloom, cuckoo: Cuckoo };

// The native value of a text, of the types that need no type
const NATIVE = {
	'boolean': (text) => text === 't',
	'bigint': (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)),
	'numeric': BigInt,
	'double precision': Number,
	'text': (text) => text,
	'bytea': (text) => Buffer.from(text.slice(2), 'hex'),
};

function linesOf(file) {
	return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

function lines() {
	return linesOf(0).map(JSON.parse);
}

function write(file, rows) {
	writeFileSync(file, rows.map((row) => `${row}\n`).join(''));
}

function print(rows) {
	process.stdout.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function keysOf(type, values) {
	return linesOf(values).map((value) => (type === 'bloom_key' ? Key.parse(value) : key(value, type)));
}

function sizingOf(columns) {
	const [blocks, probes, fullAt] = columns.split(',').map((column) => column || null);
	return { blocks, probes, full_at: fullAt };
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
		return 'accepted';
	} catch (error) {
		if (!(error instanceof InvalidFilterError))
			throw error;
		return error.reason;
	}
}

function sizingAnswer(capacity, fpp, columns) {
	try {
		Bloom.create(Number(capacity), { fpp: Number(fpp), sizing: sizingOf(columns) });
		return 'accepted';
	} catch (error) {
		if (!(error instanceof RangeError))
			throw error;
		return 'refused';
	}
}

// The commands of reader.sh
const readerCommands = {
	keys(type, values, to) {
		write(to, keysOf(type, values));
	},

	ask(file, type, values, to) {
		const filter = parse(linesOf(file)[0]);
		write(to, keysOf(type, values).map((probed) => filter.contains(probed) +
			(filter.count ? ` ${filter.count(probed) ?? -1}` : '')));
	},

	build(capacity, fpp, growth, sizing, type, values, to) {
		const filter = Bloom.create(Number(capacity), {
			fpp: Number(fpp), growth: Number(growth), sizing: sizingOf(sizing),
		});
		write(to, [filter.addAll(keysOf(type, values)).toText()]);
	},

	add(file, type, values, to) {
		write(to, [Bloom.parse(linesOf(file)[0]).addAll(keysOf(type, values)).toText()]);
	},

	sizings(inputs, to) {
		write(to, linesOf(inputs).map((line) => sizingAnswer(...line.split(' '))));
	},

	numbers(filters, to) {
		write(to, linesOf(filters).map((text) => Bloom.parse(text).cardinality() ?? ''));
	},

	reasons(inputs, to) {
		write(to, linesOf(inputs).map((line) => {
			const blank = line.indexOf(' ');
			return reasonFor(line.slice(0, blank), line.slice(blank + 1));
		}));
	},
};

const commands = {
	run(file) {
		for (const line of linesOf(file)) {
			const [command, ...parameters] = line.split('\t');
			readerCommands[command](...parameters);
		}
	},

	native(type, file) {
		const filter = parse(linesOf(file)[0]);
		write(1, linesOf(0).map((value) => filter.contains(NATIVE[type](value))));
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
};

const [, , command, ...parameters] = process.argv;
commands[command](...parameters);
