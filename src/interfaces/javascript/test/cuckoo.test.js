import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Cuckoo, InvalidFilterError } from '../src/index.js';
import { cuckooImage, randomNumbers } from './helpers.js';

// The fingerprints in buckets, place by place: their number, or NaN if a bucket is not in order
// or bits behind the last one are set.
function countSlowly(bins, buckets, fingerprintBits) {
	let stored = 0;
	const bit = (at) => bins[at >> 3] >> (at & 7) & 1;
	for (let bucket = 0; bucket < buckets; bucket++) {
		let isInUse = true;
		for (let place = 0; place < 4; place++) {
			const start = (bucket * 4 + place) * fingerprintBits;
			const wasInUse = isInUse;
			isInUse = Array.from({ length: fingerprintBits }, (_, i) => bit(start + i)).includes(1);
			if (isInUse && !wasInUse)
				return NaN;
			stored += isInUse;
		}
	}
	for (let at = buckets * 4 * fingerprintBits; at < bins.length * 8; at++) {
		if (bit(at) !== 0)
			return NaN;
	}
	return stored;
}

function isAccepted(image) {
	try {
		Cuckoo.parse(image);
		return true;
	} catch (error) {
		assert.ok(error instanceof InvalidFilterError);
		assert.match(error.reason, /^The buckets are not as full/);
		return false;
	}
}

test('the buckets of fingerprints of all lengths', () => {
	const random = randomNumbers(5);
	for (let fingerprintBits = 1; fingerprintBits <= 32; fingerprintBits++) {
		const bins = (buckets) => new Uint8Array(Math.ceil(buckets * fingerprintBits / 16) * 8);
		let accepted = 0;
		let refused = 0;
		for (let round = 0; round < 60; round++) {
			const buckets = 2 + 2 * random(12);
			const bytes = bins(buckets);
			for (let bucket = 0; bucket < buckets; bucket++) {
				// one bit of each fingerprint, the highest or another
				for (let place = random(5); place > 0; place--) {
					const at = (bucket * 4 + place) * fingerprintBits - 1 -
						random(2) * random(fingerprintBits);
					bytes[at >> 3] |= 1 << (at & 7);
				}
			}
			if (round === 0)
				bytes.fill(255, 0, buckets * fingerprintBits / 2);
			for (let flipped = round % 3; flipped > 0; flipped--)
				bytes[random(bytes.length)] ^= 1 << random(8);
			const stored = countSlowly(bytes, buckets, fingerprintBits);
			if (stored > 0) {
				accepted++;
				assert.ok(isAccepted(cuckooImage(fingerprintBits, buckets, stored, bytes)));
				assert.ok(!isAccepted(cuckooImage(fingerprintBits, buckets,
					stored > 1 ? stored - 1 : 2, bytes)));
			} else if (Number.isNaN(stored)) {
				refused++;
				for (let claimed = 1; claimed <= buckets * 4; claimed++)
					assert.ok(!isAccepted(cuckooImage(fingerprintBits, buckets, claimed, bytes)));
			}
		}
		assert.ok(accepted > 20 && refused > 5, `${accepted} ${refused}`);

		// a bit in any place: of the first place of a bucket, or not
		for (let at = 0; at < 4 * 4 * fingerprintBits; at++) {
			const bytes = bins(4);
			bytes[at >> 3] = 1 << (at & 7);
			assert.equal(isAccepted(cuckooImage(fingerprintBits, 4, 1, bytes)),
				Math.floor(at / fingerprintBits) % 4 === 0);
		}
	}
});

// Microseconds of the processor to parse full buckets; other processes take none of them
function timeToParse(fingerprintBits, length) {
	const buckets = length / fingerprintBits * 2;
	const image = cuckooImage(fingerprintBits, buckets, buckets * 4,
		new Uint8Array(length).fill(255));
	const start = process.cpuUsage();
	Cuckoo.parse(image);
	const { user, system } = process.cpuUsage(start);
	return user + system;
}

test('short fingerprints are parsed about as fast as long ones', () => {
	const times = new Map();
	for (let round = 0; round < 7; round++) {
		for (const fingerprintBits of [1, 2, 4, 8, 16, 32])
			times.set(fingerprintBits, Math.min(times.get(fingerprintBits) ?? Infinity,
				timeToParse(fingerprintBits, 2 ** 22)));
	}
	// twice the time, and as much again where other processes use the same caches
	for (const [fingerprintBits, time] of times)
		assert.ok(time < 4 * times.get(32), `${fingerprintBits}: ${time} of ${times.get(32)} µs`);
});
