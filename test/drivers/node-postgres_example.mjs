// node-postgres_example.mjs
//
// The example of doc/drivers.md for node-postgres.

import pg from 'pg';

const client = new pg.Client();
await client.connect();

for (const id of [4711, 123456789n]) {
	const { rows } = await client.query(
		"SELECT bloom_contains(f, $1::bigint) AS found FROM filter WHERE name = 'customer'", [id]);
	console.log(`${id} is ${rows[0]?.found === false ? 'certainly no customer' : 'probably a customer'}`);
}

// many keys in one round trip
const { rows: [{ missing }] } = await client.query(
	"SELECT bloom_missing(f, $1::bigint[]) AS missing FROM filter WHERE name = 'customer'",
	[[4711, 200001, 200002]]);
console.log(`certainly no customers: ${missing.join(' ')}`);

// add keys in batches
await client.query(
	"UPDATE filter SET f = bloom_add_all(f, $1::bigint[]) WHERE name = 'customer'", [missing]);

// the bytes of a filter, and a filter from bytes
const { rows: [{ image }] } = await client.query(
	"SELECT f::bytea AS image FROM filter WHERE name = 'customer'");
console.log(`${image.length} bytes`);
await client.query("INSERT INTO filter VALUES ('copy', $1::bytea::bloom)", [image]);

await client.query(
	"INSERT INTO filter VALUES ('new', bloom_create($1::bigint, $2::float8))", [1000000, 0.001]);

// without a cast, any parameter is a key of text
try {
	await client.query("SELECT bloom_contains(f, $1) FROM filter WHERE name = 'customer'", [4711]);
} catch (error) {
	console.log(`${error.code}: ${error.message}`);
}

await client.end();
