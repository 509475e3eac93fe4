import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import * as exported from '../src/index.js';

const folder = dirname(fileURLToPath(import.meta.url));

// The compiler of the package typescript, or null
function findCompiler() {
	try {
		const require = createRequire(import.meta.url);
		return join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
	} catch {
		return null;
	}
}

const compiler = findCompiler();

// What the compiler prints of a file; a package finds itself by its name
function compile(file) {
	return spawnSync(process.execPath, [compiler, '--noEmit', '--strict', '--target', 'es2022',
		'--module', 'nodenext', '--moduleResolution', 'nodenext', join(folder, file)],
		{ encoding: 'utf8' });
}

test('index.d.ts under tsc --strict', { skip: !compiler && 'no npm package typescript' }, () => {
	const { status, stdout, stderr } = compile('types.ts');
	assert.equal(stdout + stderr, '');
	assert.equal(status, 0);
});

test('a CommonJS module in TypeScript', { skip: !compiler && 'no npm package typescript' }, (t) => {
	const { status, stdout, stderr } = compile('types.cts');
	if (stdout.includes('TS1479')) {
		t.skip('the compiler is older than 5.8');
		return;
	}
	assert.equal(stdout + stderr, '');
	assert.equal(status, 0);
});

test('what is exported', () => {
	assert.deepEqual(Object.keys(exported).sort(), ['Bloom', 'CountingBloom', 'Cuckoo',
		'FilterFullError', 'InvalidFilterError', 'Key', 'KeyMismatchError', 'Matrix', 'key', 'parse']);
});
