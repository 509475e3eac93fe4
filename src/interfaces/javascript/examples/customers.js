// customers.js
//
// Looks up customers by their e-mail addresses, and asks the server only for those that it
// may have.
//
//	node customers.js [SECONDS [listen]]
//
// Reads addresses from standard input, one per line, and prints what is known of each.  The
// filter is fetched at the start and then, if it has changed, every 60 seconds or as often as
// SECONDS says; with `listen' also on each NOTIFY served_filter.  The environment tells where
// the server is: PGHOST, PGDATABASE and so on.
//
// The server has two tables, and whoever adds customers replaces the filter now and then:
//
//	CREATE TABLE customer (email text PRIMARY KEY, name text NOT NULL);
//	CREATE TABLE served_filter (name text PRIMARY KEY, version bigint NOT NULL,
//		filter bloom NOT NULL);
//
//	UPDATE served_filter SET version = version + 1,
//		filter = (SELECT bloom_agg(email) FROM customer)
//	WHERE name = 'customer';
//	NOTIFY served_filter;
//
// A customer who is newer than the filter is taken for none until it is fetched again.
import { createInterface } from 'node:readline';

import { Bloom } from 'bloomtype';
import pg from 'pg';

const seconds = Number(process.argv[2] ?? 60);
const listens = process.argv[3] === 'listen';

const pool = new pg.Pool();
pool.on('error', (error) => console.error(`lost a connection: ${error.message}`));

/** A filter of the server, in memory. */
class ServedFilter {
	#name;
	#version = -1;
	#filter = null;

	constructor(name) {
		this.#name = name;
	}

	/** Fetch the filter if it has changed: the query returns no row if it has not. */
	async refresh() {
		const { rows } = await pool.query(
			'SELECT version, filter FROM served_filter WHERE name = $1 AND version <> $2',
			[this.#name, this.#version]);
		for (const { version, filter } of rows) {
			this.#filter = Bloom.parse(filter);
			this.#version = version;
		}
	}

	/** False: certainly not; true: perhaps, also as long as there is no filter. */
	mayContain(key) {
		return this.#filter?.contains(key) ?? true;
	}
}

const served = new ServedFilter('customer');

// An old filter is better than none while the server cannot be reached.
async function refresh() {
	try {
		await served.refresh();
	} catch (error) {
		console.error(`cannot fetch the filter: ${error.message}`);
	}
}

async function listen() {
	const client = new pg.Client();
	client.on('notification', refresh);
	client.on('error', (error) => console.error(`no longer listens: ${error.message}`));
	await client.connect();
	await client.query('LISTEN served_filter');
	return client;
}

async function find(email) {
	if (!served.mayContain(email))
		return 'certainly not a customer';
	const { rows } = await pool.query('SELECT name FROM customer WHERE email = $1', [email]);
	return rows.length > 0 ? rows[0].name : 'not a customer';
}

await refresh();
const timer = setInterval(refresh, seconds * 1000);
const listener = listens ? await listen() : null;

for await (const email of createInterface({ input: process.stdin }))
	console.log(`${email}: ${await find(email)}`);

clearInterval(timer);
await listener?.end();
await pool.end();
