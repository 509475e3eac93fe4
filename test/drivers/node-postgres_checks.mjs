// node-postgres_checks.mjs
//
// Keys and filters through node-postgres: with unnamed and with named statements; values that
// JavaScript changes; a parser for filters.  For what is printed see lib.sh.

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import pg from 'pg';

// SQL type: a key that the filter of samples.sql has, and one that it has not
const keys = {
	'integer': [4711, 4712],
	'bigint': [5000000000n, 5000000001n],
	'numeric': ['12.50', '12.51'],
	'double precision': [0.1, 0.2],
	'boolean': [true, false],
	'text': ['Anna', 'Otto'],
	'bytea': [Buffer.from([0, 255, 128]), Buffer.from([0, 255, 129])],
	'uuid': ['6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9', '00000000-0000-0000-0000-000000000001'],
	'date': ['2026-02-28', '2026-03-01'],
	'timestamp': ['2026-02-28 12:34:56.789012', '2026-02-28 12:34:56.789013'],
	'timestamptz': ['2026-02-28 12:34:56.789012+00', '2026-02-28 12:34:56.789013+00'],
};
const where = 'FROM sample WHERE type = $2::text';
const mismatch = 'cannot probe a filter of number keys with a key of family text';

function check(what, passed) {
	console.log(`${passed ? 'ok' : 'not ok'} - ${what}`);
}

// rows are equal if they print the same; numbers of 64 bits are strings
function same(rows, ...expected) {
	return JSON.stringify(rows) === JSON.stringify(expected);
}

async function refused(promise) {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	throw new Error('no error');
}

function runner(client, named) {
	return async (text, values) => {
		const name = named && createHash('md5').update(text).digest('hex');
		return (await client.query({ text, values, name, rowMode: 'array' })).rows;
	};
}

// `yes' if the parameter is the key of the filter, the family that it has instead, or `error'
async function withoutCast(run, contains, add, key, type) {
	try {
		return (await run(`SELECT ${contains} ${where}`, [key, type]))[0][0] ? 'yes' : 'other';
	} catch {
		try {
			return (await run(`SELECT key_family FROM bloom_info(${add})`, [key]))[0][0];
		} catch {
			return 'error';
		}
	}
}

// a row of the page's table, of the first mode and of those that differ
const rows = {};
function printRow(mode, what, cells) {
	if (cells !== rows[what])
		console.log(`| ${mode} | ${what} | ${cells} |`);
	rows[what] ??= cells;
}

async function checkKeys(mode, run) {
	const plain = [], arrays = [];
	for (const [type, [key, absent]] of Object.entries(keys)) {
		for (const call of [`bloom_contains(f, $1::${type})`, `f @> $1::${type}`,
			`$1::${type} <@ f`]) {
			const found = [];
			for (const value of [key, absent, null])
				found.push(...await run(`SELECT ${call} ${where}`, [value, type]));
			check(`${mode}: ${call}`, same(found, [true], [false], [null]));
		}
		check(`${mode}: bloom_add(f, $1::${type})`, same(await run(
			`SELECT bloom_add(bloom_create(1000), $1::${type}) = f ${where}`, [key, type]), [true]));
		check(`${mode}: bloom_add_all(f, $1::${type}[])`, same(await run(
			`SELECT bloom_add_all(bloom_create(1000), $1::${type}[]) = f ${where}`,
			[[key], type]), [true]));
		check(`${mode}: $1::${type}[]`, same(await run(
			`SELECT bloom_contains_any(f, k), bloom_contains_all(f, k),
				cardinality(bloom_missing(f, k))
			FROM sample, LATERAL (SELECT $1::${type}[]) keys(k) WHERE type = $2::text`,
			[[key, absent], type]), [true, false, 1]));
		check(`${mode}: unnest($1::${type}[])`, same(await run(
			`SELECT bloom_agg(k) @> $2::${type} FROM unnest($1::${type}[]) k`,
			[[key, absent], key]), [true]));
		check(`${mode}: an empty $1::${type}[]`, same(await run(
			`SELECT bloom_contains_any(f, $1::${type}[]) ${where}`, [[], type]), [false]));

		const add = 'bloom_add(bloom_create(10), $1)';
		plain.push(await withoutCast(run, 'bloom_contains(f, $1)', add, key, type));
		check(`${mode}: f @> $1, ${type}, is as bloom_contains(f, $1)`,
			await withoutCast(run, 'f @> $1', add, key, type) === plain.at(-1));
		arrays.push(await withoutCast(run, 'bloom_contains_any(f, $1)',
			'bloom_add_all(bloom_create(10), $1)', [key], type));
	}
	printRow(mode, 'keys', plain.join(' | '));
	printRow(mode, 'arrays', arrays.join(' | '));

	const error = await refused(run(`SELECT bloom_contains(f, $1) ${where}`, [4711, 'integer']));
	check(`${mode}: SQLSTATE and message of a wrong family`,
		error.code === '42804' && error.message === mismatch);
	check(`${mode}: its detail`, error.detail.endsWith('are never the same key.'));
	check(`${mode}: its hint`,
		error.hint.startsWith("Cast the key to the type of the filter's keys"));
}

async function checkFilters(mode, run) {
	for (const [capacity, rate] of [['$1::bigint', '$2::double precision'], ['$1', '$2']])
		check(`${mode}: bloom_create(${capacity}, ${rate})`, same(await run(
			`SELECT capacity, target_fpp FROM bloom_info(bloom_create(${capacity}, ${rate}))`,
			[1000000, 0.001]), ['1000000', 0.001]));

	const [[image, text]] = await run("SELECT f::bytea, f FROM stored WHERE name = 'large'", []);
	check(`${mode}: a filter of more than a megabyte`, image.length > 2 ** 20);
	check(`${mode}: is a string, the base64 of its bytes`, text === image.toString('base64'));
	for (const [value, cast] of [[image, 'bytea::bloom'], [text, 'bloom']]) {
		check(`${mode}: sent back by $1::${cast}`, same(await run(
			`SELECT f = $1::${cast} FROM stored WHERE name = 'large'`, [value]), [true]));
		check(`${mode}: null as $1::${cast}`,
			same(await run(`SELECT $1::${cast}`, [null]), [null]));
	}
	await run('INSERT INTO stored VALUES ($1, $2::bytea::bloom)', [mode, image]);
	check(`${mode}: stored again`, same(await run(
		"SELECT count(DISTINCT f::text) FROM stored WHERE name IN ('large', $1)", [mode]), ['1']));

	for (const kind of ['counting_bloom', 'cuckoo']) {
		const [[other]] = await run(
			`SELECT ${kind}_add(${kind}_create(1000), $1::bigint)::bytea`, [4711]);
		const sql = `SELECT ${kind}_contains($1::bytea::${kind}, $2::bigint)`;
		const found = [await run(sql, [other, 4711]), await run(sql, [other, 4712])];
		check(`${mode}: a ${kind} sent back and asked`, same(found, [[true]], [[false]]));
	}

	const error = await refused(run('SELECT $1::bytea::bloom', [image.subarray(0, -1)]));
	check(`${mode}: bytes that are no filter are an error`, error.code === '22P03');
	check(`${mode}: which says why`,
		error.detail === 'Its length does not match what its header says.');
}

// Is a value the key of a filter that the server makes of a literal?
function finds(run, literal, parameter, value) {
	return run(`SELECT bloom_add(bloom_create(10), ${literal}) @> ${parameter}`, [value])
		.then((rows) => rows[0][0]);
}

async function checkTraps(run) {
	check('node-postgres: 2^53 + 1 as a number is another key',
		!await finds(run, '9007199254740993', '$1::bigint', Number('9007199254740993')));
	check('node-postgres: ... as a BigInt is the key',
		await finds(run, '9007199254740993', '$1::bigint', 9007199254740993n));
	check('node-postgres: a bigint is fetched as a string',
		same(await run('SELECT 9007199254740993', []), ['9007199254740993']));
	check('node-postgres: ... which with a cast is the key',
		await finds(run, '9007199254740993', '$1::bigint', '9007199254740993'));

	const [[date]] = await run("SELECT timestamptz '2026-02-28 12:34:56.789012+00'", []);
	const literal = "timestamptz '2026-02-28 12:34:56.789012+00'";
	check('node-postgres: a Date has lost the microseconds',
		date instanceof Date && !await finds(run, literal, '$1::timestamptz', date));
	const [[string]] = await run(`SELECT (${literal})::text`, []);
	check('node-postgres: ... a string has them',
		await finds(run, literal, '$1::timestamptz', string));
	check('node-postgres: a Date without them is a key', await finds(run,
		"timestamptz '2026-02-28 12:34:56.789+00'", '$1::timestamptz',
		new Date('2026-02-28T12:34:56.789Z')));

	const [[real]] = await run('SELECT real \'0.1\'', []);
	check('node-postgres: a real as double precision is another key',
		!await finds(run, "real '0.1'", '$1::double precision', real));
	check('node-postgres: ... as real is the key', await finds(run, "real '0.1'", '$1::real', real));

	check('node-postgres: bytes without a cast are a text key',
		await finds(run, "'AB'", '$1', Buffer.from('AB')));
	const error = await refused(run('SELECT bloom_add(bloom_create(10), $1)', [Buffer.from([0])]));
	check('node-postgres: ... or an error', error.code === '22021');
	check('node-postgres: a number without a cast is a text key',
		await finds(run, "'4711'", '$1', 4711));
	check('node-postgres: undefined is null',
		await finds(run, '4711', '$1::bigint', undefined) === null);
}

async function checkBinary() {
	const client = new pg.Client({ binary: true });
	await client.connect();
	const sql = "SELECT f::bytea, f::text FROM stored WHERE name = $1";
	const [[image, text]] = await runner(client)(sql, ['large']);
	check('node-postgres, binary: bytes come as a string', typeof image === 'string');
	check('node-postgres, binary: ... in which bytes are lost',
		!Buffer.from(image, 'latin1').equals(Buffer.from(text, 'base64'))
		&& !Buffer.from(image).equals(Buffer.from(text, 'base64')));
	await client.end();
}

async function checkParser(client) {
	const { rows: [{ oid }] } = await client.query("SELECT 'bloom'::regtype::oid");
	pg.types.setTypeParser(oid, (text) => Buffer.from(text, 'base64'));

	const { rows: [{ f, image }] } =
		await client.query("SELECT f, f::bytea AS image FROM stored WHERE name = 'large'");
	check('node-postgres: with a parser a filter is its bytes', f.equals(image));
	check('node-postgres: ... null where it is null',
		(await client.query('SELECT NULL::bloom AS f')).rows[0].f === null);
}

const { version } = createRequire(import.meta.url)('pg/package.json');
console.log(`version: node-postgres ${version}`);

const client = new pg.Client();
await client.connect();
for (const [mode, named] of [['node-postgres', false], ['node-postgres, named', true]]) {
	const run = runner(client, named);
	await checkKeys(mode, run);
	await checkFilters(mode, run);
}
await checkTraps(runner(client));
await checkBinary();
await checkParser(client);
await client.end();
