// browser.mjs
//
// Let a browser import the JavaScript package and check the shared vectors.
//
//	node browser.mjs CHROMIUM
//
// Serves package and vectors on localhost to Chromium without a window, which prints the
// page after its script.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const packageFolder = fileURLToPath(new URL('../../src/interfaces/javascript', import.meta.url));
const vectorFolder = process.env.BLOOMTYPE_VECTORS ??
	fileURLToPath(new URL('../vectors', import.meta.url));

const PAGE = `<!DOCTYPE html>
<title>bloomtype</title>
<p id="result">nothing
<script type="module">
import { key, parse } from '/src/index.js';

const vectors = async (name) => (await fetch('/vectors/' + name + '.json')).json();
let wrong = 0;
for (const { length, hash } of await vectors('bytes')) {
	const bytes = Uint8Array.from({ length }, (_, i) => i * 7 + length);
	wrong += key(bytes).hash !== BigInt('0x' + hash);
}
for (const { type, value, key: expected } of await vectors('keys')) {
	let made = null;
	try {
		made = String(key(value, type));
	} catch {
		// refused
	}
	wrong += made !== expected;
}
for (const { type, image, probes } of await vectors('filters')) {
	const filter = parse(image);
	wrong += filter.toText() !== image;
	for (const { value, contains } of type === null ? [] : probes)
		wrong += filter.contains(key(value, type)) !== contains;
}
document.getElementById('result').textContent = wrong === 0 ? 'all right' : wrong + ' wrong';
</script>
`;

const server = createServer(async ({ url }, response) => {
	try {
		if (url === '/') {
			response.setHeader('Content-Type', 'text/html; charset=utf-8');
			response.end(PAGE);
			return;
		}
		const isVector = url.startsWith('/vectors/');
		response.setHeader('Content-Type', isVector ? 'application/json' : 'text/javascript');
		response.end(await readFile(isVector ? `${vectorFolder}${url.slice(8)}` :
			`${packageFolder}${url}`));
	} catch {
		response.statusCode = 404;
		response.end();
	}
});

await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { stdout } = await promisify(execFile)(process.argv[2], ['--headless', '--no-sandbox',
	'--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${process.cwd()}/chromium`,
	'--virtual-time-budget=60000', '--dump-dom', `http://127.0.0.1:${server.address().port}/`],
	{ timeout: 120000 });
server.close();
if (!stdout.includes('all right')) {
	console.log(stdout);
	process.exitCode = 1;
}
