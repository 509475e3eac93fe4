"""Keys of Python values, and of strings with a type."""

import copy
import datetime
import enum
import ipaddress
import math
import numbers
import pickle
import unittest
import uuid
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

from bloomtype import Bloom, Key, key

try:
    import numpy
except ImportError:
    numpy = None

UTC = datetime.timezone.utc


class NativeValues(unittest.TestCase):
    """The key of a value without a type is that of a string with a type."""

    def same(self, value, type_, text):
        with self.subTest(value=value, type=type_):
            self.assertEqual(key(value), key(text, type_))
            self.assertEqual(key(value, type_), key(text, type_))

    def test_boolean(self):
        self.same(True, "boolean", "t")
        self.same(False, "bool", "false")

    def test_number(self):
        for number in (0, 1, -1, 2**63 - 1, -(2**63)):
            self.same(number, "bigint", str(number))
        for number in (2**63, -(2**63) - 1, 10**100, -(10**131071)):
            with self.subTest(number.bit_length()):
                text = format(Decimal(number), "f")
                self.assertEqual(key(number), key(text, "numeric"))
                self.assertEqual(key(number), key(Decimal(number)))
        self.assertRaises(ValueError, key, 10**131072)

    def test_equal_numbers_are_one_key(self):
        for text in ("5", "5.00", "5e0", "0.5E+1", "+5", "500e-2"):
            self.assertEqual(key(Decimal(text)), key(5))
            self.assertEqual(key(text, "decimal"), key(5))
        for text in ("-0", "0E5", "-0.00", "0"):
            self.assertEqual(key(Decimal(text)), key(0))
        self.same(Decimal("0.50"), "numeric", ".5")
        self.same(Decimal("-Infinity"), "numeric", "-Infinity")
        self.same(Decimal("NaN"), "numeric", "NaN")
        self.assertEqual(key(Decimal("9223372036854775807.0")), key(2**63 - 1))
        self.assertNotEqual(key(Decimal("0.5")), key(Decimal("-0.5")))

    def test_decimal_limits(self):
        self.assertEqual(key(Decimal("1E131071")).family, "number")
        self.assertEqual(key(Decimal("1E-16383")).family, "number")
        for text in ("1E131072", "1E-16384", "0E-16384",
                     "1E+999999", "1E-999999", "1." + "0" * 16384):
            with self.subTest(text[:10]):
                self.assertRaises(ValueError, key, Decimal(text))
                self.assertRaises(ValueError, key, text, "numeric")
        self.assertRaises(ValueError, key, "1e99999999999999999999", "numeric")
        self.assertEqual(key(Decimal("0E+999999")), key(0))
        self.assertEqual(key("0" * 200000 + "1", "numeric"), key(1))

    def test_float(self):
        for number in (0.1, 1.5, -2.0, 5e-324, math.inf, -math.inf):
            self.same(number, "double precision", str(number).replace("inf", "Infinity"))
        self.same(-0.0, "float8", "0")
        self.same(math.nan, "float8", "NaN")
        self.assertEqual(key(-math.nan), key(math.nan))
        self.assertEqual(key(5, "float8"), key(5.0))
        self.assertNotEqual(key(5.0), key(5))
        self.assertRaises(ValueError, key, 2**53 + 1, "float8")
        self.assertRaises(ValueError, key, 10**400, "float8")

    def test_real(self):
        # a driver that gets 0.1::real as text makes the double 0.1 of it
        self.assertEqual(key(0.1, "real"), key("0.1", "real"))
        self.assertEqual(key(0.1, "float4"), key(0.10000000149011612))
        self.assertNotEqual(key(0.1, "real"), key(0.1))
        self.assertEqual(key(math.nan, "real"), key(math.nan))
        for number in (1e39, -1e39, 1e-60, "1e39", "1e-46"):
            with self.subTest(number):
                self.assertRaises(ValueError, key, number, "real")
        # just above the middle between 1 and the next real: the double is the middle
        middle = "1.00000005960464477539062500001"
        self.assertEqual(key(middle, "real"), key(1.0000001192092896))
        self.assertEqual(key(middle[:-1] + "0", "real"), key(1.0))

    def test_text(self):
        for text in ("", "red", " red ", "Zürich", "日本", "😀"):
            self.same(text, "text", text)
            self.assertEqual(key(text), key(text, "character varying"))
            self.assertEqual(key(text), Key("text", 0, key(text.encode()).hash))
        self.assertEqual(key("red  ", "character"), key("red"))
        self.assertEqual(key("red\t ", "bpchar"), key("red\t"))
        self.assertNotEqual(key("red "), key("red"))
        self.assertEqual(key("n" * 63, "name"), key("n" * 63))
        self.assertRaises(ValueError, key, "n" * 64, "name")
        self.assertRaises(ValueError, key, "é" * 32, "name")

    def test_text_that_cannot_be(self):
        for text in ("\0", "a\0b", "\ud800", "a\udfff"):
            for type_ in (None, "text", "varchar", "bpchar", "name"):
                with self.subTest(text=text, type=type_):
                    self.assertRaises(ValueError, key, text, type_)

    def test_bytea(self):
        for value in (b"", b"\0\xff", b"red"):
            self.same(value, "bytea", "\\x" + value.hex())
            self.assertEqual(key(bytearray(value)), key(value))
            self.assertEqual(key(memoryview(value)), key(value))
            self.assertEqual(key(memoryview(value), "bytea"), key(value))
        self.assertEqual(key(memoryview(b"abcdef")[::2]), key(b"ace"))
        for text in ("", "x", "\\x0", "\\x 00", "\\x00 ", "\\000", "00", "\\X00"):
            with self.subTest(text):
                self.assertRaises(ValueError, key, text, "bytea")

    def test_uuid(self):
        text = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
        self.same(uuid.UUID(text), "uuid", text)
        for malformed in (text.replace("-", ""), f"{{{text}}}", f"urn:uuid:{text}", text + "\n"):
            with self.subTest(malformed):
                self.assertRaises(ValueError, key, malformed, "uuid")

    def test_what_may_be_infinity(self):
        for class_ in (datetime.date, datetime.datetime):
            for value in (class_.min, class_.max):
                with self.subTest(value):
                    self.assertRaises(ValueError, key, value)
        for value in (datetime.datetime.min, datetime.datetime.max):
            self.assertRaises(ValueError, key, value.replace(tzinfo=UTC))
            self.assertRaises(ValueError, key, value, "timestamp")

    def test_long_malformed_number(self):
        # in a time that does not grow with the square of the length
        for type_ in ("numeric", "real", "double precision", "bigint"):
            with self.subTest(type_):
                self.assertRaises(ValueError, key, "1" * 200000 + "x", type_)
        for text in ("\u0131nf", "\u0130nf"):
            self.assertRaises(ValueError, key, text, "numeric")

    def test_date(self):
        self.same(datetime.date(2000, 1, 1), "date", "2000-01-01")
        self.same(datetime.date(1, 1, 2), "date", "0001-01-02")
        self.same(datetime.date(9999, 12, 30), "date", "9999-12-30")
        for text in ("0000-01-01", "2000-1-1", "2000-01-01 ", "01/01/2000", "2000-01-01 AD"):
            with self.subTest(text):
                self.assertRaises(ValueError, key, text, "date")
        self.assertRaises(TypeError, key, datetime.datetime(2000, 1, 1), "date")

    def test_timestamp(self):
        self.same(datetime.datetime(2000, 1, 1), "timestamp", "2000-01-01 00:00:00")
        self.same(
            datetime.datetime(1999, 12, 31, 23, 59, 59, 999999),
            "timestamp without time zone", "1999-12-31T23:59:59.999999",
        )
        self.same(
            datetime.datetime(9999, 12, 31, 23, 59, 59, 999998),
            "timestamp", "9999-12-31 23:59:59.999998",
        )
        self.assertEqual(
            key("2024-02-29 12:34:56.7", "timestamp"),
            key(datetime.datetime(2024, 2, 29, 12, 34, 56, 700000)),
        )
        for text in (
            "2000-01-01", "2000-01-01 00:00", "2000-01-01 00:00:00+00", "2000-01-01 24:00:00",
            "2000-01-01 00:00:60", "2000-01-01 00:00:00.1234567", "2000-01-01 00:00:00.",
        ):
            with self.subTest(text):
                self.assertRaises(ValueError, key, text, "timestamp")
        self.assertRaises(ValueError, key, datetime.datetime(2000, 1, 1, tzinfo=UTC), "timestamp")
        self.assertRaises(TypeError, key, datetime.date(2000, 1, 1), "timestamp")

    def test_timestamptz(self):
        zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
        value = datetime.datetime(2024, 2, 29, 18, 4, 56, 789000, zone)
        self.same(value, "timestamptz", "2024-02-29 12:34:56.789+00")
        self.same(value, "timestamp with time zone", "2024-02-29 18:04:56.789+05:30")
        self.assertEqual(key(value.astimezone(UTC)), key(value))
        self.assertEqual(
            key("1883-11-18 12:03:57-04:56:02", "timestamptz"),
            key("1883-11-18T16:59:59Z", "timestamptz"),
        )
        self.assertEqual(key(value).family, "timestamptz")
        self.assertNotEqual(key(value).hash, key(value.replace(tzinfo=None)).hash)
        for text in ("2024-02-29 12:34:56", "2024-02-29 12:34:56 UTC", "2024-02-29 12:34:56+16"):
            with self.subTest(text):
                self.assertRaises(ValueError, key, text, "timestamptz")
        self.assertRaises(ValueError, key, datetime.datetime(2000, 1, 1), "timestamptz")

    def test_time_zone_without_offset(self):
        class Nowhere(datetime.tzinfo):
            def utcoffset(self, dt):
                return None

        value = datetime.datetime(2000, 1, 1, tzinfo=Nowhere())
        for type_ in (None, "timestamp", "timestamptz"):
            self.assertRaises(ValueError, key, value, type_)

    def test_nanoseconds(self):
        class Timestamp(datetime.datetime):
            nanosecond = 1

        self.assertRaises(ValueError, key, Timestamp(2000, 1, 1))
        self.assertRaises(ValueError, key, Timestamp(2000, 1, 1), "timestamp")

    def test_not_a_time(self):
        class NaTType(datetime.datetime):
            """As that of pandas: a datetime of which no field is a number."""

            nanosecond = float("nan")

            def __ne__(self, other):
                return True

            __hash__ = datetime.datetime.__hash__

            def __str__(self):
                return "NaT"

        for type_ in (None, "date", "timestamp", "timestamptz"):
            with self.subTest(type_), self.assertRaisesRegex(TypeError, "^NaT is not a key"):
                key(NaTType(1, 1, 1), type_)

    def test_time(self):
        self.same(datetime.time(12, 34, 56, 700000), "time", "12:34:56.7")
        self.same(datetime.time(), "time without time zone", "00:00:00")
        self.assertRaises(ValueError, key, datetime.time(12, tzinfo=UTC))
        self.assertRaises(ValueError, key, datetime.time(12, tzinfo=UTC), "time")

    def test_infinity(self):
        for type_ in ("date", "timestamp", "timestamptz"):
            self.assertNotEqual(key("infinity", type_), key("-infinity", type_))

    def test_network(self):
        self.same(ipaddress.ip_address("10.1.2.3"), "inet", "10.1.2.3")
        self.same(ipaddress.ip_address("::1"), "inet", "::1/128")
        self.same(ipaddress.ip_interface("10.1.2.3/8"), "inet", "10.1.2.3/8")
        self.same(ipaddress.ip_interface("2001:db8::1/64"), "inet", "2001:db8::1/64")
        self.same(ipaddress.ip_network("10.0.0.0/8"), "cidr", "10.0.0.0/8")
        self.same(ipaddress.ip_network("2001:db8::/32"), "cidr", "2001:db8::/32")
        self.assertEqual(key("10.0.0.0/8", "inet"), key("10.0.0.0/8", "cidr"))
        self.assertNotEqual(key("10.1.2.3/8", "inet"), key("10.1.2.3", "inet"))
        self.assertRaises(ValueError, key, ipaddress.ip_interface("10.1.2.3/8"), "cidr")
        for text in ("10.1.2.3/255.0.0.0", "10.1.2", "10.1.2.3/", "fe80::1%eth0", "1", " ::1"):
            with self.subTest(text):
                self.assertRaises(ValueError, key, text, "inet")
        self.assertRaises(ValueError, key, ipaddress.ip_address("fe80::1%eth0"))
        self.assertRaises(ValueError, key, ipaddress.ip_interface("fe80::1%eth0/64"), "inet")

    def test_derived_types(self):
        class Color(str, enum.Enum):
            RED = "red"

        class Id(uuid.UUID):
            pass

        self.assertEqual(key(enum.IntEnum("Number", "ONE").ONE), key(1))
        self.assertEqual(key(Color.RED), key("red"))
        self.assertEqual(key(Color.RED, "text"), key("red"))
        self.assertEqual(key(Id(int=1)), key(uuid.UUID(int=1)))


class Whole:
    """A whole number, as numpy's: Python knows it by numbers and __index__."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Interval(Whole):
    """As numpy's timedelta64: by its base a whole number, which it is not."""

    __index__ = None


class Single:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Single) else other)


class Truth:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return self.value


numbers.Integral.register(Whole)
numbers.Real.register(Single)


class OtherLibraries(unittest.TestCase):
    """Numbers of other libraries are those of Python that they are equal to."""

    def same(self, value, builtin, type_):
        with self.subTest(value=repr(value), type=type_):
            self.assertEqual(key(value), key(builtin))
            self.assertEqual(key(value, type_), key(builtin, type_))

    def test_integral(self):
        self.same(Whole(5), 5, "bigint")
        self.same(Whole(-(2**63)), -(2**63), "numeric")
        self.same(Whole(7), 7, "oid")
        self.assertRaises(ValueError, key, Whole(2**15), "smallint")
        for type_ in ("boolean", "text"):
            self.assertRaises(TypeError, key, Whole(1), type_)

    def test_real(self):
        self.same(Single(0.5), 0.5, "float8")
        self.same(Single(math.nan), math.nan, "real")
        self.same(Single(math.inf), math.inf, "float8")
        self.assertEqual(key(Single(5.0)).family, "float")
        self.assertRaises(TypeError, key, Single(5.0), "bigint")
        self.assertRaises(TypeError, key, Single(5.0), "numeric")

    def test_real_of_more_digits(self):
        class Long(Single):
            def __eq__(self, other):
                return self is other

        self.assertRaises(ValueError, key, Long(0.1))
        self.assertRaises(ValueError, key, Long(0.1), "float8")

    def test_no_numbers(self):
        for value in (Fraction(1, 2), Fraction(2), Interval(5)):
            for type_ in (None, "bigint", "float8"):
                self.assertRaises(TypeError, key, value, type_)

    def test_boolean(self):
        """The name of the class and of its module are what there is to know one by."""
        for name in ("bool", "bool_"):
            boolean = type(name, (Truth,), {"__module__": "numpy"})
            self.same(boolean(True), True, "boolean")
            self.same(boolean(False), False, "bool")
            self.assertRaises(TypeError, key, boolean(True), "bigint")
        self.assertRaises(TypeError, key, Truth(True))

    @unittest.skipUnless(numpy, "no numpy")
    def test_numpy(self):
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
            self.same(getattr(numpy, name)(100), 100, "bigint")
        self.same(numpy.uint64(2**64 - 1), 2**64 - 1, "numeric")
        self.same(numpy.int64(-(2**63)), -(2**63), "bigint")
        self.same(numpy.bool_(True), True, "boolean")
        self.same(numpy.bool_(False), False, "boolean")
        self.same(numpy.float64(0.1), 0.1, "float8")
        self.same(numpy.float16(0.5), 0.5, "float8")
        self.same(numpy.float32(0.1), 0.10000000149011612, "float8")
        self.assertEqual(key(numpy.float32(0.1)), key("0.1", "real"))
        self.assertEqual(key(numpy.float32(0.1), "real"), key("0.1", "real"))
        self.same(numpy.float64("nan"), math.nan, "float8")
        self.same(numpy.float32("nan"), math.nan, "real")
        self.same(numpy.longdouble(0.5), 0.5, "float8")
        if numpy.finfo(numpy.longdouble).nmant > 52:
            self.assertRaises(ValueError, key, numpy.longdouble(1) / 3)
        self.same(numpy.str_("red"), "red", "text")
        self.same(numpy.bytes_(b"red"), b"red", "bytea")
        self.assertRaises(TypeError, key, numpy.float64(5), "bigint")
        self.assertRaises(TypeError, key, numpy.bool_(True), "bigint")
        for value in (numpy.timedelta64(5), numpy.datetime64("2000-01-01"), numpy.array([1]),
                      numpy.array(1), numpy.complex64(1)):
            for type_ in (None, "bigint", "float8", "boolean"):
                with self.subTest(repr(value), type=type_):
                    self.assertRaises(TypeError, key, value, type_)
        filter_ = Bloom.create(1000)
        filter_.add_all(numpy.arange(100))
        self.assertTrue(filter_.contains_all(range(100)))
        self.assertEqual(filter_.missing(numpy.array([5, 100, 6])), [100])


class Refused(unittest.TestCase):
    def test_null(self):
        self.assertRaises(TypeError, key, None)
        self.assertRaises(TypeError, key, None, "bigint")

    def test_other_types(self):
        for value in (object(), [1], (1, 2), {}, 1j, datetime.timedelta(1), range(3)):
            with self.subTest(value):
                self.assertRaises(TypeError, key, value)
                self.assertRaises(TypeError, key, value, "bigint")

    def test_values_that_do_not_fit_the_type(self):
        for value, type_ in (
            (True, "bigint"), (5.0, "bigint"), (Decimal(5), "bigint"), (5.0, "numeric"),
            (True, "numeric"), (True, "float8"), (Decimal(5), "float8"), (1, "boolean"),
            (5, "text"), (b"red", "text"), (5, "bytea"), (5, "uuid"), (b"0" * 16, "uuid"),
            (5, "date"), (5, "timestamp"), (5, "time"), (5, "inet"), (5, "macaddr"),
            (key(5), "bigint"),
        ):
            with self.subTest(value=value, type=type_):
                self.assertRaises(TypeError, key, value, type_)

    def test_out_of_range(self):
        for value, type_ in (
            (2**15, "smallint"), (-(2**15) - 1, "int2"), (2**31, "int"), (2**63, "int8"),
            (-1, "oid"), (2**32, "oid"), ("9" * 101, "bigint"),
        ):
            with self.subTest(value=value, type=type_):
                self.assertRaises(ValueError, key, value, type_)

    def test_digits_of_other_scripts(self):
        for text in ("٥", "1_000", " 5", "5 ", "5\n", "0x10"):
            for type_ in ("bigint", "numeric", "float8", "real", "oid"):
                with self.subTest(text=text, type=type_):
                    self.assertRaises(ValueError, key, text, type_)

    def test_leading_zero(self):
        self.assertEqual(key("010", "bigint"), key(10))
        self.assertEqual(key("+10", "oid"), key(10, "oid"))
        self.assertEqual(key("-0", "oid"), key(0, "oid"))
        for text in ("010", "+08", "00"):
            with self.subTest(text):
                self.assertRaises(ValueError, key, text, "oid")

    def test_unknown_type(self):
        self.assertRaises(TypeError, key, "1", int)
        for type_ in ("", "interval", "jsonb", "integer[]", "numeric(10,2)", "timetz"):
            with self.subTest(type_):
                self.assertRaises(ValueError, key, "1", type_)

    def test_type_name_as_it_is_written(self):
        self.assertEqual(key("5", "BIGINT"), key(5))
        self.assertEqual(key("5", " Double  Precision "), key(5.0))


class KeyObjects(unittest.TestCase):
    def test_text_form(self):
        for text in (
            "number:2fbc593564db792e", "text:67b1dc007bbe6755",
            "array/3cd3bb57:0123456789abcdef", "row/00000000:0000000000000000",
        ):
            self.assertEqual(str(Key.parse(text)), text)
        parsed = Key.parse("row/b47314cf:35b1e8092a9e94a4")
        self.assertEqual(parsed.family, "row")
        self.assertEqual(parsed.subtype, 0xB47314CF)
        self.assertEqual(parsed.hash, 0x35B1E8092A9E94A4)

    def test_no_other_form(self):
        for text in (
            "", "number", "number:", "number:2fbc593564db792", "number:2fbc593564db792e0",
            "number:2FBC593564DB792E", " number:2fbc593564db792e", "number:2fbc593564db792e\n",
            "Number:2fbc593564db792e", "none:2fbc593564db792e", "numbers:2fbc593564db792e",
            "number/00000000:2fbc593564db792e", "array:2fbc593564db792e",
            "array/3cd3bb5:2fbc593564db792e", "number:2fbc593564db792g",
        ):
            with self.subTest(text):
                self.assertRaises(ValueError, Key.parse, text)

    def test_is_a_value(self):
        self.assertEqual(key(5), Key.parse(str(key(5))))
        self.assertEqual(hash(key(5)), hash(Key.parse(str(key(5)))))
        self.assertNotEqual(key(5), key(6))
        self.assertEqual(len({key(5), key(Decimal(5)), key("5")}), 2)
        self.assertEqual(key(key(5)), key(5))
        self.assertEqual(copy.deepcopy(key(5)), key(5))
        self.assertEqual(pickle.loads(pickle.dumps(key(5))), key(5))
        with self.assertRaises(FrozenInstanceError):
            key(5).hash = 0

    def test_fields_are_checked(self):
        for family, subtype, hash_ in (
            ("none", 0, 0), ("x", 0, 0), ("number", 1, 0), ("array", -1, 0),
            ("array", 1 << 32, 0), ("number", 0, -1), ("number", 0, 1 << 64),
        ):
            self.assertRaises(ValueError, Key, family, subtype, hash_)


if __name__ == "__main__":
    unittest.main()
