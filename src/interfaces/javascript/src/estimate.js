// estimate.js
//
// How many keys a layer has, and its false-positive rate, from the numbers of its record.
// The model is that of the server's core/estimate.c and core/sizing.c.

export const BLOCK_BITS = 512;

// With so many keys in a block no bit of it is left unset.
const MAX_LOAD = 40 * BLOCK_BITS;

// For fewer blocks a binomial distribution is more exact than Poisson's.
const FEW_BLOCKS = 16;

// Where a smaller share of keys was added to a layer, the rates of the earlier layers, which are
// not quite independent, are multiplied too often.
const LEAST_PASSED = 0.5;

function power(x, n) {
	let result = 1;
	for (; n > 0; n = Math.floor(n / 2)) {
		if (n % 2 === 1)
			result *= x;
		x *= x;
	}
	return result;
}

// The logarithm of the probability that a key leaves a given bit unset.
function logUnsetByKey(blocks, probes) {
	return Math.log1p(Math.expm1(probes * Math.log1p(-1 / BLOCK_BITS)) / blocks);
}

/** The number of keys that set so many bits on average; of all bits, the fewest keys. */
export function keysFromBits(blocks, probes, set) {
	const bits = blocks * BLOCK_BITS;
	return Math.log1p(-Math.min(set, bits - 0.5) / bits) / logUnsetByKey(blocks, probes);
}

/**
 * The number of keys that were added to layers, or null where it cannot be told.
 *
 * A key that seems present in an earlier layer is not added to a later one.  The earlier ones
 * are full layers with the fpp of the layer, doubled once or several times, and with a capacity
 * that fits.  Layers with the same fpp are those of several filters, that a union put side by
 * side: they are averaged.
 *
 * @param {{ fpp: number, capacity: number, isFull: boolean, keys: number, rate: number }[]}
 *     layers fields of their records, whether they are full, and their keys and rates as estimated
 * @param {number} growth
 */
export function keysOfLayers(layers, growth) {
	const withFpp = (fpp) => layers.filter((layer) => layer.fpp === fpp);
	const isNext = layers.map((layer) => withFpp(2 * layer.fpp)
		.some((before) => before.capacity * growth === layer.capacity));
	const isCompared = layers.map((layer) => layers.some((other, i) =>
		other.fpp === layer.fpp && isNext[i]));
	const fits = (grown, i) => !isCompared[i] ||
		(isNext[i] ? grown === layers[i].capacity : grown <= layers[i].capacity);

	let added = 0;
	for (const [i, layer] of layers.entries()) {
		let passed = 1;
		let factor = growth;
		for (let fpp = layer.fpp * 2; fpp < 1 && growth > 0; fpp *= 2) {
			let keys = 0;
			let passing = 0;
			for (const before of withFpp(fpp)) {
				if (before.isFull && fits(before.capacity * factor, i)) {
					keys += before.keys;
					passing += before.keys * (1 - before.rate);
				}
			}
			if (keys > 0)
				passed *= passing / keys;
			factor *= growth;
		}
		if (!(passed >= LEAST_PASSED))
			return null;
		added += layer.keys / passed;
	}
	return added;
}

/** The number of bits that so many keys set on average. */
export function bitsFromKeys(blocks, probes, keys) {
	return -Math.expm1(keys * logUnsetByKey(blocks, probes)) * blocks * BLOCK_BITS;
}

// The rate of a block with so many keys, given how many blocks there are.
function rateOfBlock(keys, blocks, probes) {
	if (keys === 0)
		return 0;
	const oneBit = Math.log1p(-1 / BLOCK_BITS);
	const twoBits = Math.log1p(-2 / BLOCK_BITS);
	const all = probes * keys;
	const unset = Math.exp(all * oneBit);
	const set = -Math.expm1(all * oneBit);
	const variance = (unset * set +
		(BLOCK_BITS - 1) * unset * unset * Math.expm1(all * (twoBits - 2 * oneBit))) /
		BLOCK_BITS * (1 - 1 / blocks);
	return Math.min(1, power(set, probes) *
		Math.exp(0.5 * probes * (probes - 1) * variance / (set * set)));
}

// The mean of that over a binomial distribution of the keys.  Weights are relative to that of
// the most likely number of keys.
function meanOverLoads(keys, blocks, probes) {
	const load = keys / blocks;
	const odds = 1 / (blocks - 1);
	let rate = 0;
	let total = 0;
	let weight = 1;

	for (let j = Math.floor(load); ; j++) {
		rate += weight * rateOfBlock(j, blocks, probes);
		total += weight;
		weight *= Math.max(0, keys - j) / (j + 1) * odds;
		if (weight === 0 || weight * (j + 2) < 1e-9 * rate * (j + 2 - load))
			break;
	}
	weight = 1;
	for (let j = Math.floor(load); j > 0 && weight > 1e-18; j--) {
		weight *= j / ((keys - j + 1) * odds);
		rate += weight * rateOfBlock(j - 1, blocks, probes);
		total += weight;
	}
	return rate / total;
}

// The rate of blocks with a Poisson distribution of their keys: rate(L, k) of FORMAT.md.
function modelRate(load, probes) {
	if (load > MAX_LOAD)
		return 1;
	const unsetByKey = power(511 / 512, probes);
	const mode = Math.floor(load);
	const unsetAtMode = power(unsetByKey, mode);
	let rate = 0;
	let total = 0;
	let weight = 1;
	let unset = unsetAtMode;

	for (let j = mode; ; j++) {
		rate += weight * power(1 - unset, probes);
		total += weight;
		weight *= load / (j + 1);
		unset *= unsetByKey;
		if (weight === 0 || weight * (j + 2) < 1e-9 * rate * (j + 2 - load))
			break;
	}
	weight = 1;
	unset = unsetAtMode;
	for (let j = mode; j > 0 && weight > 1e-18; j--) {
		weight *= j / load;
		unset /= unsetByKey;
		rate += weight * power(1 - unset, probes);
		total += weight;
	}
	return rate / total;
}

/** The rate of blocks of which so many bits are set: 0 .. 1. */
export function rateOfBits(blocks, probes, set) {
	const bits = blocks * BLOCK_BITS;
	if (set === 0)
		return 0;
	if (set === bits)
		return 1;
	if (blocks === 1)
		return power(set / bits, probes);

	const keys = keysFromBits(blocks, probes, set);
	return blocks < FEW_BLOCKS ? meanOverLoads(keys, blocks, probes) :
		modelRate(keys / blocks, probes);
}

/** The rate of buckets with so many fingerprints of so many bits: 0 .. 1. */
export function rateOfFingerprints(buckets, fingerprintBits, stored) {
	const compared = 2 * stored / buckets;
	return -Math.expm1(compared * Math.log1p(-1 / (2 ** fingerprintBits - 1)));
}
