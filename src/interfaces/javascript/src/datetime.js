// datetime.js
//
// Dates and times in the form that PostgreSQL prints with DateStyle ISO, in the server's
// units: days, or microseconds, since 2000-01-01.

const SECOND = 1000000n;
const DAY = 86400n * SECOND;

// From 4714-11-24 BC; up to 5874897-12-31, and to 294276-12-31
const FIRST_DAY = -2451545;
const LAST_DAY = 2145031948;
const FIRST_TIMESTAMP = BigInt(FIRST_DAY) * DAY;
const END_OF_TIMESTAMPS = 9223371331200000000n;

const DATE_FORM = '([0-9]{4,7})-([0-9]{2})-([0-9]{2})';
const TIME_FORM = '([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.([0-9]{1,6}))?';
const ZONE_FORM = '(?:Z|([+-])([0-9]{2})(?::([0-9]{2}))?(?::([0-9]{2}))?)';

const DATE = new RegExp(`^${DATE_FORM}( BC)?$`);
const TIME = new RegExp(`^${TIME_FORM}$`);
const TIMESTAMP = new RegExp(`^${DATE_FORM}[ T]${TIME_FORM}( BC)?$`);
const TIMESTAMPTZ = new RegExp(`^${DATE_FORM}[ T]${TIME_FORM}${ZONE_FORM}( BC)?$`);

// Days before the month, in a year that begins in March
const DAYS_BEFORE_MONTH = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeap(year) {
	return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

// Days of the Gregorian calendar, extended to years before it; null if there is no such day.
function daysOf(yearText, monthText, dayText, isBc) {
	const month = Number(monthText);
	const day = Number(dayText);
	// the year before 1 is 1 BC
	const year = isBc ? 1 - Number(yearText) : Number(yearText);

	if (Number(yearText) === 0 || month < 1 || month > 12 || day < 1 ||
		day > DAYS_OF_MONTH[month - 1] + (month === 2 && isLeap(year) ? 1 : 0))
		return null;
	const marchYear = month < 3 ? year - 1 : year;
	const days = marchYear * 365 + Math.floor(marchYear / 4) - Math.floor(marchYear / 100) +
		Math.floor(marchYear / 400) + DAYS_BEFORE_MONTH[month - 1] + day - 1;
	return days - 730425;
}

// Microseconds; null if there is no such time.  24:00:00 is one.
function microsecondsOf(hour, minute, second, fraction = '') {
	if (Number(minute) > 59 || Number(second) > 59)
		return null;
	const microseconds = BigInt(Number(hour) * 3600 + Number(minute) * 60 + Number(second)) *
		SECOND + BigInt(fraction.padEnd(6, '0'));
	return microseconds > DAY ? null : microseconds;
}

// Microseconds east of UTC; null if there is no such zone.
function displacementOf(sign, hour = '0', minute = '0', second = '0') {
	if (Number(hour) > 15 || Number(minute) > 59 || Number(second) > 59)
		return null;
	const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
	return BigInt(sign === '-' ? -seconds : seconds) * SECOND;
}

function inRange(timestamp) {
	return timestamp >= FIRST_TIMESTAMP && timestamp < END_OF_TIMESTAMPS ? timestamp : null;
}

/** Days since 2000-01-01 of a text, as a number; null if it is no date. */
export function parseDate(text) {
	if (text === 'infinity')
		return 2147483647;
	if (text === '-infinity')
		return -2147483648;
	const [matched, year, month, day, bc] = DATE.exec(text) ?? [];
	const days = matched === undefined ? null : daysOf(year, month, day, bc !== undefined);
	return days !== null && days >= FIRST_DAY && days <= LAST_DAY ? days : null;
}

/** Microseconds since midnight of a text, as a BigInt; null if it is no time. */
export function parseTime(text) {
	const [matched, ...fields] = TIME.exec(text) ?? [];
	return matched === undefined ? null : microsecondsOf(...fields);
}

/**
 * Microseconds since 2000-01-01 of a text, as a BigInt; null if it is no timestamp.
 *
 * @param {string} text
 * @param {boolean} hasZone whether it must have a time zone, or must not
 */
export function parseTimestamp(text, hasZone) {
	if (text === 'infinity')
		return 2n ** 63n - 1n;
	if (text === '-infinity')
		return -(2n ** 63n);

	const fields = (hasZone ? TIMESTAMPTZ : TIMESTAMP).exec(text);
	if (fields === null)
		return null;
	const days = daysOf(fields[1], fields[2], fields[3], fields.at(-1) !== undefined);
	const time = microsecondsOf(fields[4], fields[5], fields[6], fields[7]);
	const displacement = hasZone ? displacementOf(...fields.slice(8, 12)) : 0n;
	if (days === null || time === null || displacement === null)
		return null;
	return inRange(BigInt(days) * DAY + time - displacement);
}

/** The same of a Date; null for one that is invalid or out of range. */
export function timestampOfDate(date) {
	const milliseconds = date.getTime();
	return Number.isNaN(milliseconds) ? null :
		inRange(BigInt(milliseconds) * 1000n - 946684800n * SECOND);
}
