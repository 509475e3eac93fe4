import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';

import { Key, key } from '../src/index.js';

const same = (a, b) => assert.equal(String(a), String(b));
const refuse = (error, ...values) => {
	for (const [value, type] of values)
		assert.throws(() => key(value, type), error, `${inspect(value).slice(0, 60)} ${type}`);
};

test('native values of one type need none', () => {
	same(key(true), key('t', 'boolean'));
	same(key(false), key('false', 'bool'));
	same(key(5n), key('5', 'bigint'));
	same(key(2n ** 63n), key('9223372036854775808', 'numeric'));
	same(key(-(2n ** 63n)), key('-9223372036854775808', 'int8'));
	same(key('red'), key('red', 'text'));
	same(key(Uint8Array.of(1, 255)), key('\\x01ff', 'bytea'));
	same(key(Buffer.from('red')), key('\\x726564', 'bytea'));
	same(key(runInNewContext('Uint8Array.of(1)')), key(Uint8Array.of(1)));
});

test('native values that fit a type', () => {
	same(key(true, 'boolean'), key('true', 'boolean'));
	same(key(-7, 'smallint'), key('-7', 'bigint'));
	same(key(-7n, 'integer'), key('-7.0', 'decimal'));
	same(key(-0, 'bigint'), key('0', 'numeric'));
	same(key(Number.MAX_SAFE_INTEGER, 'numeric'), key('9007199254740991', 'numeric'));
	same(key(0.1, 'real'), key('0.1', 'float4'));
	same(key(0.1, 'double precision'), key('0.1', 'float8'));
	same(key(NaN, 'float8'), key('NaN', 'real'));
	same(key(4294967295, 'oid'), key('4294967295', 'oid'));
	same(key(Uint8Array.from({ length: 16 }, (_, i) => i), 'uuid'),
		key('00010203-0405-0607-0809-0a0b0c0d0e0f', 'uuid'));
	same(key(new Date('2024-02-29T12:34:56.789Z'), 'timestamptz'),
		key('2024-02-29 13:34:56.789+01', 'timestamp with time zone'));
	same(key(new Date('2024-02-29T12:34:56.789Z').toISOString(), 'timestamptz'),
		key('2024-02-29 12:34:56.789+00', 'timestamptz'));
	same(key(new Date(-2e14), 'timestamptz'), key('4369-04-02 04:26:40+00 BC', 'timestamptz'));
});

test('names of a type', () => {
	same(key('a', 'character varying'), key('a', 'varchar'));
	same(key('a ', 'character'), key('a', 'text'));
	same(key('1', 'int'), key('1', 'int4'));
	same(key('12:00:00', 'time without time zone'), key('12:00:00', 'time'));
	same(key('2024-01-01 00:00:00', 'timestamp without time zone'),
		key('2024-01-01 00:00:00', 'timestamp'));
	refuse(RangeError, ['{}', 'jsonb'], ['a', 'varchar(20)'], ['a', ''], ['a', 'toString']);
});

test('equal numerics are one key', () => {
	for (const text of ['5', '5.00', '5e0', '0.05E2', '+5', '005', '5.', '500e-2'])
		same(key(text, 'numeric'), key(5n));
	for (const text of ['0.5', '.5', '0.50', '5e-1', '0.0005e3'])
		same(key(text, 'numeric'), key('0.5', 'numeric'));
	for (const text of ['0', '-0', '0.000', '-0e10', '0e-16383'])
		same(key(text, 'numeric'), key(0n));
	same(key('-inf', 'numeric'), key('-Infinity', 'numeric'));
	same(key('1e20', 'numeric'), key(10n ** 20n));
	same(key(`1${'0'.repeat(131071)}`, 'numeric'), key('1e131071', 'numeric'));
	same(key(10n ** 131072n - 1n), key('9'.repeat(131072), 'numeric'));
	refuse(RangeError, ['1e131072', 'numeric'], ['0.1e-16383', 'numeric'], ['0e-16384', 'numeric'],
		[`0.${'0'.repeat(16384)}`, 'numeric'], ['0x1f', 'numeric'], ['1_000', 'numeric'],
		['1e99999999999999999999', 'numeric'], ['+NaN', 'numeric']);
});

test('a real is rounded once', () => {
	same(key(16777217, 'real'), key(16777216, 'float8'));
	// halfway between two float32, and next to there by less than a double can tell
	same(key('1.000000059604644775390625', 'real'), key(1, 'float8'));
	same(key('1.00000005960464477539062500000001', 'real'), key(1 + 2 ** -23, 'float8'));
	same(key('-1.00000005960464477539062500000001', 'real'), key(-1 - 2 ** -23, 'float8'));
	same(key('1.000000178813934326171874999999999', 'real'), key(1 + 2 ** -23, 'float8'));
	same(key('1.000000178813934326171875', 'real'), key(1 + 2 ** -22, 'float8'));
	same(key('7.0064923216240853546186479165e-46', 'real'), key(2 ** -149, 'float8'));
	refuse(RangeError, ['7e-46', 'real'], [1e39, 'real'], [1e-60, 'real']);
});

test('what is ambiguous or loses something is refused', () => {
	refuse(TypeError, [null], [undefined], [null, 'text'], [undefined, 'bigint'], [5], [NaN],
		[new Date()], [[1]], [{}], [Object.create(null)], [Symbol('x')], [() => 1],
		[new Uint16Array(1)]);
	refuse(TypeError, [5, 'text'], [true, 'integer'], ['x'.charCodeAt, 'text'], [5n, 'float8'],
		[new Date(), 'timestamp'], [new Date(), 'date'], [new Date(), 'text'], [1, 'boolean'],
		[Uint8Array.of(1), 'uuid'], [{}, 'bigint'], [5, 'date'], [Object.create(null), 'bigint']);
	refuse(RangeError, [2 ** 53, 'bigint'], [0.5, 'numeric'], [NaN, 'numeric'], [0.5, 'bigint'],
		[10n ** 131072n], [-(10n ** 131072n), 'numeric'],
		[new Date(-8.64e15), 'timestamptz'],
		[new Date(NaN), 'timestamptz'], [-1, 'oid'], [2 ** 31, 'integer']);
});

test('malformed texts are refused', () => {
	refuse(RangeError, ['010', 'oid'], ['+08', 'oid'], ['00', 'oid']);
	refuse(RangeError, ['yes', 'boolean'], [' 5', 'bigint'], ['5 ', 'numeric'], ['1e5', 'bigint'],
		['', 'numeric'], ['0x10', 'float8'], ['\\xabc', 'bytea'], ['abcd', 'bytea'],
		['\\X0a', 'bytea'], ['a0eebc999c0b4ef8bb6d6bb9bd380a11', 'uuid'], ['24-01-01', 'date'],
		['2024-01-01 00:00:00', 'date'], ['0000-01-01', 'date'], ['2024-02-30', 'date'],
		['1900-02-29', 'date'], ['2024-01-01', 'timestamp'],
		['2024-01-01 00:00:00+00', 'timestamp'], ['2024-01-01 00:00:00', 'timestamptz'],
		['2024-01-01 00:00:00.1234567', 'timestamp'], ['12:00', 'time'], ['24:00:00.1', 'time'],
		['12:00:00+01', 'time'], ['1.2.3', 'inet'], ['1.2.3.04', 'inet'], ['1.2.3.4/', 'inet'],
		['1.2.3.4/08', 'inet'], ['::1::', 'inet'], ['1:2:3:4:5:6:7', 'inet'],
		['fe80::1%eth0', 'inet'],
		['1:2:3:4:5:6:7:8:9', 'inet'], ['1:2:3:4:5:6:7:8::', 'inet'], ['1.2.3.4::', 'inet'],
		['::1.2.3.4:5', 'inet'], ['1:2:3:4:5:6:7:1.2.3.4', 'inet'], ['10.0.0.1/8', 'cidr'],
		['08:00:2b:01:02:03:04:05', 'macaddr'], ['n'.repeat(64), 'name'],
		['ü'.repeat(32), 'name']);
	same(key('\\x0A', 'bytea'), key('\\x0a', 'bytea'));
	same(key('1:2:3:4:5:6:1.2.3.4', 'inet'), key('1:2:3:4:5:6:102:304', 'inet'));
	same(key('::2:3:4:5:6:7:8', 'inet'), key('0:2:3:4:5:6:7:8', 'inet'));
	same(key('1:2:3:4:5:6:7::', 'inet'), key('1:2:3:4:5:6:7:0', 'inet'));
	same(key('08:00:2b:01:02:03', 'macaddr8'), key('08:00:2b:01:02:03', 'macaddr'));
});

test('texts that PostgreSQL cannot have are refused', () => {
	refuse(RangeError, ['a\0'], ['\ud800'], ['\udc00'], ['\ud800x'], ['\udc00\ud800'],
		['\ud83d', 'varchar'], ['x'.repeat(2000) + '\ud800']);
});

test('texts of all lengths are hashed as their UTF-8', () => {
	for (const text of ['a', 'ü', '€', '😀', 'aü€😀'])
		for (let n = 0; n < 1200; n += 17)
			assert.equal(key(text.repeat(n)).hash, key(Buffer.from(text.repeat(n))).hash);
});

test('a key is a value', () => {
	const one = key('1', 'bigint');
	assert.equal(String(one), 'number:2fbc593564db792e');
	assert.equal(JSON.stringify({ one }), '{"one":"number:2fbc593564db792e"}');
	assert.equal(one.family, 'number');
	assert.equal(one.subtype, 0);
	assert.equal(one.hash, 0x2fbc593564db792en);
	assert.ok(one.equals(key(1n)));
	assert.deepEqual(one, key(1n));
	assert.ok(!one.equals(key(2n)) && !one.equals('number:2fbc593564db792e') && !one.equals(null));
	assert.throws(() => {
		one.subtype = 1;
	}, TypeError);
	assert.ok(new Set([String(one)]).has(String(key(1n))));
});

test('the text form of a key', () => {
	for (const text of ['number:2fbc593564db792e', 'array/3cd3bb57:0000000000000001',
		'row/ffffffff:ffffffffffffffff', 'range/00000000:0000000000000000'])
		assert.equal(String(Key.parse(text)), text);
	for (const text of ['', 'number', 'number:2FBC593564DB792E', 'number:2fbc593564db792',
		'number:2fbc593564db792e0', ' number:2fbc593564db792e', 'number:2fbc593564db792e\n',
		'number/00000000:2fbc593564db792e', 'row:2fbc593564db792e', 'none:2fbc593564db792e',
		'jsonb:2fbc593564db792e', 'array/3cd3bb5:0000000000000001', null, 5])
		assert.throws(() => Key.parse(text), RangeError);
});

test('a long malformed number is refused in a time that does not grow with its square', () => {
	for (const type of ['bigint', 'numeric', 'real', 'double precision'])
		assert.throws(() => key(`${'1'.repeat(200000)}x`, type), RangeError);
});
