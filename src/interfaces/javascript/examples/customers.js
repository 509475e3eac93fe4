// customers.js
//
// Looks up customers by their e-mail addresses, and asks the server only for those that it
// may have.
//
//	node customers.js [SECONDS]
//
// Reads addresses from standard input, one per line, and prints what is known of each.  The
// filter is fetched at the start, after each NOTIFY served_filter, and at the latest after
// 60 or so many SECONDS; the server sends it only if it has changed.  The environment tells
// where the server is: PGHOST, PGDATABASE and so on.
//
// The server has these tables, and the last two statements are run now and then:
//
//	CREATE TABLE customer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
//		email text UNIQUE NOT NULL);
//	CREATE TABLE served_filter (name text PRIMARY KEY,
//		version bigint GENERATED ALWAYS AS IDENTITY, filter bloom NOT NULL);
//
//	INSERT INTO served_filter AS s (name, filter)
//		SELECT 'customer.email', bloom_agg(email, 2 * (SELECT count(*) FROM customer), 0.01)
//		FROM customer
//	ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
//		WHERE s.filter <> excluded.filter;
//	NOTIFY served_filter;
//
// A customer who was added after the filter was built is not in it: the answer is `certainly
// not' until a newer filter was fetched.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { Bloom } from 'bloomtype';
import pg from 'pg';

const milliseconds = Number(process.argv[2] ?? 60) * 1000;
if (!(milliseconds > 0))
	throw new RangeError('SECONDS must be greater than 0');

/** The newest filter of a name, in memory. */
class ServedFilter {
	#name;
	#version = -1;
	#filter = null;

	constructor(name) {
		this.#name = name;
	}

	/** Fetch the filter if its version has changed; else the server sends no row. */
	async fetch(client) {
		const { rows } = await client.query(
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

const served = new ServedFilter('customer.email');
let isEnd = false;
let waiting = new AbortController();

/** Keep the filter up to date until the end, through restarts of the server. */
async function keepFetching() {
	while (!isEnd) {
		const client = new pg.Client();
		client.on('error', () => {});   // what waits for the client fails, too
		try {
			await client.connect();
			await client.query('LISTEN served_filter');
			while (!isEnd) {
				waiting = new AbortController();
				const { signal } = waiting;
				// before the query, during which a notification may arrive
				const notified = once(client, 'notification', { signal });
				notified.catch(() => {});
				await served.fetch(client);
				await Promise.race([notified, sleep(milliseconds, null, { signal })]);
				waiting.abort();   // the timer, or the listener
			}
		} catch (error) {
			waiting.abort();
			if (isEnd)
				break;
			console.error(`cannot fetch the filter: ${error.message || error.code}`);
			waiting = new AbortController();
			await sleep(milliseconds, null, { signal: waiting.signal }).catch(() => {});
		} finally {
			client.end().catch(() => {});
		}
	}
}

// After an error, pool.query() makes a new connection the next time.
const pool = new pg.Pool({ max: 1 });
pool.on('error', () => {});

/** What is known of an address. */
async function find(email) {
	try {
		if (!served.mayContain(email))
			return 'certainly not a customer';
		const { rows } = await pool.query('SELECT id FROM customer WHERE email = $1', [email]);
		return rows.length > 0 ? `customer ${rows[0].id}` : 'not a customer, says the server';
	} catch (error) {
		return `unknown: ${error.message || error.code}`;
	}
}

const fetching = keepFetching();
for await (const email of createInterface({ input: process.stdin }))
	console.log(`${email}: ${await find(email)}`);

isEnd = true;
waiting.abort();
await Promise.all([fetching, pool.end()]);
