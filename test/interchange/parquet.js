// parquet.js
//
// Let DuckDB write Parquet files with Bloom filters and ask them.
//
//	node parquet.js write FILE KEY KEYS GROUPS RATE  write a column x to a file
//	node parquet.js filters FILE...                  print FILE,ROW_GROUP,COLUMN,\xBYTES or nothing
//	node parquet.js replace FILE                     read ROW_GROUP,\xBITS, change the filters
//	node parquet.js forget FILE                      take the lengths of filters out of the footer
//	node parquet.js claim FILE BYTES                 change the number in the header of a filter
//	node parquet.js probe FILE KEY STEP COUNT        print KEY,ROW_GROUP,MAY_CONTAIN
//	node parquet.js sizes                            read KEYS,RATE; print KEYS,RATE,BYTES
//	node parquet.js version
//
// KEY is an expression over the integer i.  Row group g has the values of so many
// numbers i, from g times KEYS, in 4096 rows; probed are COUNT numbers, from 0, STEP
// apart.
'use strict';
const fs = require('fs');
const path = require('path');
const { DuckDBInstance } = require('@duckdb/node-api');

const rowsOfGroup = 4096;

// The bytes of a filter from its place in a file on, with the header before its bits, which tells
// their number; null if there is no such filter.
function filterAt(input, start) {
	const head = Buffer.alloc(19);
	fs.readSync(input, head, 0, head.length, start);
	const [header, number] =
		/^15((?:[89a-f].){0,4}[0-7].)(?:1c1c0000){3}00/.exec(head.toString('hex')) ?? [];
	if (header === undefined)
		return null;
	const bytes = Buffer.from(number, 'hex').reduceRight((n, byte) => n * 128 + byte % 128, 0) / 2;
	const length = header.length / 2 + bytes;
	if (bytes === 0 || bytes % 32 !== 0 || start + length > fs.fstatSync(input).size)
		return null;
	const filter = Buffer.alloc(length);
	fs.readSync(input, filter, 0, length, start);
	return filter;
}

// The Bloom filters of a Parquet file, of each column in each row group; null where there is none
// that can be asked, so that any value may be there.
async function bloomFilters(connection, file) {
	// to DuckDB, a name is a pattern
	const pattern = path.resolve(file).replace(/[[*?]/g, '[$&]');
	const reader = await connection.runAndReadAll(
		`SELECT path_in_schema AS column, row_group_id::INTEGER AS row_group,
			bloom_filter_offset::DOUBLE AS start, bloom_filter_length::DOUBLE AS length
		FROM parquet_metadata($1)
		ORDER BY ALL`, [pattern]);
	const input = fs.openSync(file);
	const filters = reader.getRowObjectsJS().map(({ column, row_group, start, length }) => {
		let filter = start === null ? null : filterAt(input, start);
		if (filter !== null && length !== null && filter.length !== length)
			filter = null;
		if (start !== null && filter === null)
			console.error(`${file}: row group ${row_group} has no valid filter of ${column}`);
		return { column, row_group, start, filter };
	});
	fs.closeSync(input);
	return filters;
}

function quoted(field) {
	return `"${field.replaceAll('"', '""')}"`;
}

// Lines of CSV: an empty field is a null.
async function printFilters(connection, files) {
	for (const file of files)
		for (const { row_group, column, filter } of await bloomFilters(connection, file)) {
			const bytes = filter === null ? '' : `\\x${filter.toString('hex')}`;
			console.log(`${quoted(file)},${row_group},${quoted(column)},${bytes}`);
		}
}

function lines() {
	return fs.readFileSync(0, 'utf8').split('\n').filter((line) => line !== '')
		.map((line) => line.split(','));
}

// A number as the footer of a file has it, in hexadecimal
function varint(number) {
	return number < 128 ? number.toString(16).padStart(2, '0') :
		(number % 128 + 128).toString(16) + varint(Math.floor(number / 128));
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
			const { start, filter: { length } } = filters[Number(group)];
			if (bits.length % 32 !== 0 || length - bits.length !== length % 32)
				throw new Error(`a filter of ${bits.length} bytes for ${length} in the file`);
			fs.writeSync(out, bits, 0, bits.length, start + length - bits.length);
		}
		fs.closeSync(out);
	},

	// as parquet-mr before 1.14 writes them: with the place of each filter, without its length
	async forget(connection, file) {
		const bytes = fs.readFileSync(file);
		const start = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
		let footer = bytes.subarray(start, -8).toString('hex');
		for (const { start: place, filter } of await bloomFilters(connection, file)) {
			if (filter === null)
				continue;
			const field = `${varint(2 * place)}15${varint(2 * filter.length)}`;
			if (footer.split(field).length !== 2)
				throw new Error(`the footer has ${field} not once`);
			footer = footer.replace(field, varint(2 * place));
		}
		const length = Buffer.alloc(4);
		length.writeUInt32LE(footer.length / 2);
		fs.writeFileSync(file, Buffer.concat([bytes.subarray(0, start),
			Buffer.from(footer, 'hex'), length, Buffer.from('PAR1')]));
	},

	// let the header of a filter, of 64 bytes or more, say another number
	async claim(connection, file, number) {
		const [{ start }] = await bloomFilters(connection, file);
		const out = fs.openSync(file, 'r+');
		const bytes = [2 * number % 128 + 128, Math.floor(2 * number / 128)];
		fs.writeSync(out, Buffer.from(bytes), 0, 2, start + 1);
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
			const [{ filter: { length } }] = await bloomFilters(connection, 'sized.parquet');
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
