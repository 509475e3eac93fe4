// index.js
//
// What the package exports.

export { FilterFullError, InvalidFilterError, KeyMismatchError } from './errors.js';
export { Bloom, CountingBloom, Cuckoo, Matrix, parse } from './filter.js';
export { Key, key } from './key.js';
