// types.cts
//
// Compiled, not run: a CommonJS module that imports the package.
import { Bloom } from 'bloomtype';

async function create(): Promise<Bloom> {
	const bloomtype = await import('bloomtype');
	return bloomtype.Bloom.create(1000);
}

void [Bloom.create(1000), create];
