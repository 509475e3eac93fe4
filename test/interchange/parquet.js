// parquet.js
//
// Let DuckDB write Parquet files with Bloom filters and ask them.
//
//	node parquet.js write FILE KEY KEYS GROUPS RATE  write a column x to a file
//	node parquet.js filters FILE...                  print FILE,ROW_GROUP,COLUMN,\xBYTES
//	node parquet.js replace FILE                     read ROW_GROUP,\xBITS, change the filters
//	node parquet.js probe FILE KEY STEP COUNT        print KEY,ROW_GROUP,MAY_CONTAIN
//	node parquet.js sizes                            read KEYS,RATE; print KEYS,RATE,BYTES
//	node parquet.js version
//
// KEY is an expression over the integer i.  Row group g has the values of so many
// numbers i, from g times KEYS, in 4096 rows; probed are COUNT numbers, from 0, STEP
// apart.
'use strict';
const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');

const rowsOfGroup = 4096;

// The Bloom filters of a Parquet file, each with the header before its bits.
async function bloomFilters(connection, file) {
	const reader = await connection.runAndReadAll(
		`SELECT path_in_schema AS column, row_group_id::INTEGER AS row_group,
			bloom_filter_offset::DOUBLE AS start, bloom_filter_length::INTEGER AS length
		FROM parquet_metadata('${file}')
		WHERE bloom_filter_length IS NOT NULL
		ORDER BY ALL`);
	const input = fs.openSync(file);
	const filters = reader.getRowObjectsJS().map((row) => {
		const filter = Buffer.alloc(row.length);
		fs.readSync(input, filter, 0, row.length, row.start);
		return { ...row, filter };
	});
	fs.closeSync(input);
	return filters;
}

function quoted(field) {
	return `"${field.replaceAll('"', '""')}"`;
}

async function printFilters(connection, files) {
	for (const file of files)
		for (const { row_group, column, filter } of await bloomFilters(connection, file))
			console.log(`${quoted(file)},${row_group},${quoted(column)},\\x${filter.toString('hex')}`);
}

function lines() {
	return fs.readFileSync(0, 'utf8').split('\n').filter((line) => line !== '')
		.map((line) => line.split(','));
}

async function write(connection, file, key, keys, groups, rate) {
	await connection.run(
		`COPY (SELECT ${key} AS x
			FROM (SELECT (r // ${rowsOfGroup} * ${keys} + r % ${keys})::INTEGER AS i
				FROM range(${groups} * ${rowsOfGroup}) rows(r) ORDER BY r) keys)
		TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE ${rowsOfGroup},
			BLOOM_FILTER_FALSE_POSITIVE_RATIO ${rate})`);
}

const commands = {
	async version(connection) {
		const reader = await connection.runAndReadAll('SELECT version()');
		console.log(reader.getRows()[0][0]);
	},

	write,

	filters: (connection, ...files) => printFilters(connection, files),

	async replace(connection, file) {
		const filters = await bloomFilters(connection, file);
		const out = fs.openSync(file, 'r+');
		for (const [group, hex] of lines()) {
			const bits = Buffer.from(hex.slice(2), 'hex');
			const { start, length } = filters[Number(group)];
			if (bits.length % 32 !== 0 || length - bits.length !== length % 32)
				throw new Error(`a filter of ${bits.length} bytes for ${length} in the file`);
			fs.writeSync(out, bits, 0, bits.length, start + length - bits.length);
		}
		fs.closeSync(out);
	},

	async probe(connection, file, key, step, count) {
		for (let n = 0; n < count; n++) {
			const value = key.replace(/\bi\b/g, `${n * step}::INTEGER`);
			const reader = await connection.runAndReadAll(
				`SELECT row_group_id, NOT bloom_filter_excludes
				FROM parquet_bloom_probe('${file}', 'x', ${value}) ORDER BY 1`);
			console.log(reader.getRows().map(([group, found]) =>
				`${n * step},${group},${found}`).join('\n'));
		}
	},

	async sizes(connection) {
		for (const [keys, rate] of lines()) {
			await connection.run(
				`COPY (SELECT (r % ${keys})::INTEGER AS x FROM range(6 * ${keys}) rows(r))
				TO 'sized.parquet' (FORMAT parquet, ROW_GROUP_SIZE 1000000,
					BLOOM_FILTER_FALSE_POSITIVE_RATIO ${rate})`);
			const [{ length }] = await bloomFilters(connection, 'sized.parquet');
			console.log(`${keys},${rate},${length - length % 32}`);
		}
	},
};

async function main([command, ...parameters]) {
	// with one thread, the rows stay in their order
	const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
	const connection = await instance.connect();
	await connection.run("SET TimeZone = 'UTC'");
	await commands[command](connection, ...parameters);
}

main(process.argv.slice(2)).catch((error) => {
	console.error(error.message);
	process.exitCode = 1;
});
