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

test('index.d.ts under tsc --strict', { skip: !compiler && 'no npm package typescript' }, () => {
	// a package finds itself by its name
	const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '--noEmit',
		'--strict', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext',
		join(folder, 'types.ts')], { encoding: 'utf8' });
	assert.equal(stdout + stderr, '');
	assert.equal(status, 0);
});

test('what is exported', () => {
	assert.deepEqual(Object.keys(exported).sort(), ['Bloom', 'CountingBloom', 'Cuckoo',
		'FilterFullError', 'InvalidFilterError', 'Key', 'KeyMismatchError', 'key', 'parse']);
});
