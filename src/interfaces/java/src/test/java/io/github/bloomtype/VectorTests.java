package io.github.bloomtype;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The vectors that all readers share; their folder is the argument. */
final class VectorTests {
    private VectorTests() {}

    static void run(Path folder) throws Exception {
        for (Map<String, Object> vector : Json.read(folder.resolve("bytes.json"))) {
            testBytes(vector);
        }
        for (Map<String, Object> vector : Json.read(folder.resolve("keys.json"))) {
            testKey(vector);
        }
        for (Map<String, Object> vector : Json.read(folder.resolve("filters.json"))) {
            testFilter(vector);
        }
        for (Map<String, Object> vector : Json.read(folder.resolve("malformed.json"))) {
            testMalformed(vector);
        }
        for (Map<String, Object> vector : Json.read(folder.resolve("matrices.json"))) {
            testMatrix(vector);
        }
        for (Map<String, Object> vector : Json.read(folder.resolve("malformed_matrices.json"))) {
            testMalformedMatrix(vector);
        }
        for (Map<String, Object> vector : Json.read(folder.resolve("build.json"))) {
            testBuild(vector);
        }
    }

    private static void testBytes(Map<String, Object> vector) {
        byte[] bytes = new byte[((Double) vector.get("length")).intValue()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7 + bytes.length);
        }
        Check.equal("hash of " + bytes.length + " bytes", vector.get("hash"),
            String.format("%016x", XXH3.hash(bytes)));
    }

    private static void testKey(Map<String, Object> vector) {
        String value = (String) vector.get("value");
        String type = (String) vector.get("type");
        String what = "'" + value + "'::" + type;
        if (vector.get("key") == null) {
            Check.fails(what, IllegalArgumentException.class, "invalid value for a key of type ",
                () -> Key.of(value, type));
            return;
        }
        Check.equal(what, vector.get("key"), Key.of(value, type).toString());
    }

    private static void testFilter(Map<String, Object> vector) throws Exception {
        String name = (String) vector.get("name");
        String image = (String) vector.get("image");
        Filter filter = Filter.parse(image);
        Check.equal(name + ": kind", vector.get("kind"), filter.kind());
        Check.equal(name + ": text", image, filter.toText());
        Check.equal(name + ": from bytes", image, Filter.parse(filter.toBytes()).toText());
        testInfo(name, map(vector.get("info")), filter);
        List<Key> keys = new ArrayList<>();
        List<Key> missing = new ArrayList<>();
        for (Object probe : (List<?>) vector.get("probes")) {
            Key key = Key.parse((String) map(probe).get("key"));
            String what = name + ": " + map(probe).get("value");
            boolean contains = (Boolean) map(probe).get("contains");
            if (vector.get("type") != null && map(probe).get("value") != null) {
                Check.equal(what, key,
                    Key.of(map(probe).get("value"), (String) vector.get("type")));
            }
            Check.equal(what, contains, filter.contains(key));
            Check.equal(what + ": count", map(probe).get("count"), count(filter, key));
            keys.add(key);
            if (!contains) {
                missing.add(key);
            }
        }
        Check.equal(name + ": missing", missing, filter.missing(keys));
        Check.equal(name + ": any", missing.size() < keys.size(), filter.containsAny(keys));
        Check.equal(name + ": all", missing.isEmpty(), filter.containsAll(keys));
    }

    private static Object count(Filter filter, Key key) {
        if (filter instanceof CountingBloom) {
            OptionalInt count = ((CountingBloom) filter).count(key);
            return count.isPresent() ? (double) count.getAsInt() : null;
        }
        return filter instanceof Cuckoo ? (double) ((Cuckoo) filter).count(key) : null;
    }

    private static void testInfo(String name, Map<String, Object> expected, Filter filter) {
        Map<String, Object> info = filter.info().toMap();
        Check.equal(name + ": columns", new ArrayList<>(expected.keySet()),
            new ArrayList<>(info.keySet()));
        expected.forEach((column, value) -> {
            String what = name + ": " + column;
            if (value instanceof Double && info.get(column) != null) {
                double number = ((Number) info.get(column)).doubleValue();
                Check.isTrue(what + " is " + number + ", not " + value,
                    Math.abs(number - (Double) value) <= 1e-9 * Math.abs((Double) value));
            } else {
                Check.equal(what, value, info.get(column));
            }
        });
        Check.equal(name + ": family", info.get("key_family"), filter.family());
        Check.equal(name + ": cardinality", info.get("keys"),
            filter.cardinality().isPresent() ? filter.cardinality().getAsLong() : null);
        Check.equal(name + ": rate", info.get("current_fpp"), filter.currentFpp());
        testMethods(name, info, filter.info());
    }

    /* A method for each column, of its name, that gives its value. */
    private static void testMethods(String name, Map<String, Object> columns, FilterInfo info) {
        Check.equal(name + ": printed", info.toString(),
            info.getClass().getSimpleName() + columns);
        columns.forEach((column, value) -> {
            String method = column.equals("saturated") ? "isSaturated" : Pattern.compile("_(.)")
                .matcher(column).replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
            try {
                Object result = info.getClass().getMethod(method).invoke(info);
                Check.equal(name + ": " + method + "()", String.valueOf(value), String
                    .valueOf(result).replaceAll("^Optional[^.]*\\.empty$", "null")
                    .replaceAll("^Optional\\w*\\[(.*)\\]$", "$1"));
            } catch (ReflectiveOperationException e) {
                Check.isTrue(name + ": " + e, false);
            }
        });
    }

    private static void testMalformed(Map<String, Object> vector) {
        String kind = (String) vector.get("kind");
        String text = (String) vector.get("text");
        String what = kind + " " + (text.length() < 100 ? text : text.substring(0, 100));
        InvalidFilterException e = Check.fails(what, InvalidFilterException.class,
            () -> parse(kind, text));
        if (e != null) {
            Check.equal(what, vector.get("reason"), e.reason());
            Check.isTrue(what + ": the message is " + e.getMessage(),
                e.getMessage().equals("invalid value for type " + kind + ": " + e.reason())
                    || e.getMessage().equals(
                        "invalid input syntax for type " + kind + ": " + e.reason())
                    && e.reason().contains("base64"));
        }
    }

    private static void testMatrix(Map<String, Object> vector) {
        String name = (String) vector.get("name");
        String image = (String) vector.get("image");
        Matrix matrix = Matrix.parse(image);
        Check.equal(name + ": text", image, matrix.toText());
        Check.equal(name + ": from bytes", matrix, Matrix.parse(matrix.toBytes()));
        Check.equal(name + ": hash code", matrix.hashCode(), Matrix.parse(image).hashCode());
        testMatrixInfo(name, map(vector.get("info")), matrix);
        List<Long> ids = new ArrayList<>();
        for (Object column : (List<?>) vector.get("columns")) {
            long id = Long.parseLong((String) map(column).get("id"));
            ids.add(id);
            Check.equal(name + ": filter " + id, map(column).get("filter"),
                matrix.filter(id).map(Filter::toText).orElse(null));
        }
        Check.equal(name + ": columns", ids, list(matrix.columns()));
        for (Object search : (List<?>) vector.get("searches")) {
            Key key = Key.parse((String) map(search).get("key"));
            String what = name + ": " + map(search).get("value");
            if (vector.get("type") != null) {
                Check.equal(what, key,
                    Key.of(map(search).get("value"), (String) vector.get("type")));
            }
            List<Long> expected = new ArrayList<>();
            for (Object id : (List<?>) map(search).get("ids")) {
                expected.add(Long.parseLong((String) id));
            }
            Check.equal(what, expected, list(matrix.search(key)));
        }
    }

    static List<Long> list(long[] ids) {
        return Arrays.stream(ids).boxed().collect(Collectors.toList());
    }

    private static void testMatrixInfo(String name, Map<String, Object> expected, Matrix matrix) {
        MatrixInfo info = matrix.info();
        Check.equal(name + ": columns", new ArrayList<>(expected.keySet()),
            new ArrayList<>(info.toMap().keySet()));
        Check.equal(name + ": family", expected.get("key_family"), info.keyFamily());
        Check.equal(name + ": family", info.keyFamily(), matrix.family());
        Check.equal(name + ": columns", expected.get("columns"), (double) info.columns());
        Check.equal(name + ": blocks", expected.get("blocks"), (double) info.blocks());
        Check.equal(name + ": probes", expected.get("probes"), (double) info.probes());
        Check.equal(name + ": bytes", expected.get("bytes"), (double) info.bytes());
        double rate = (Double) expected.get("max_fpp");
        Check.isTrue(name + ": " + info.maxFpp(), Math.abs(info.maxFpp() - rate) <= 1e-9 * rate);
    }

    private static void testMalformedMatrix(Map<String, Object> vector) {
        String text = (String) vector.get("text");
        String reason = (String) vector.get("reason");
        /* that takes the sizes of the server, and no answer depends on it */
        if (reason.equals(
            "The blocks of a matrix without keys are not those of its lowest rate.")) {
            Check.equal(reason, List.of(), list(Matrix.parse(text).search(1)));
            return;
        }
        InvalidFilterException e = Check.fails(reason, InvalidFilterException.class,
            () -> Matrix.parse(text));
        if (e != null) {
            Check.equal("reason", reason, e.reason());
            Check.equal("message", "invalid value for type bloom_matrix: " + reason,
                e.getMessage());
        }
    }

    static Filter parse(String kind, String text) {
        switch (kind) {
            case "bloom":
                return Bloom.parse(text);
            case "counting_bloom":
                return CountingBloom.parse(text);
            case "cuckoo":
                return Cuckoo.parse(text);
            default:
                throw new IllegalStateException(kind);
        }
    }

    private static void testBuild(Map<String, Object> vector) {
        String name = (String) vector.get("name");
        List<Key> keys = new ArrayList<>();
        if (vector.get("keys") != null) {
            for (Object key : (List<?>) vector.get("keys")) {
                keys.add(Key.of(key, (String) vector.get("type")));
            }
        } else {
            long to = ((Double) vector.get("to")).longValue();
            for (long i = ((Double) vector.get("from")).longValue(); i <= to; i++) {
                keys.add(Key.of(i, (String) vector.get("type")));
            }
        }
        Bloom all = create(vector);
        Bloom one = create(vector);
        String empty = all.toText();
        if (vector.get("image") == null) {
            Check.fails(name, FilterFullException.class, () -> all.addAll(keys));
            Check.equal(name + ": unchanged", empty, all.toText());
            Check.fails(name, FilterFullException.class, () -> keys.forEach(one::add));
            return;
        }
        all.addAll(keys);
        Check.equal(name, vector.get("image"), all.toText());
        keys.forEach(one::add);
        Check.equal(name + ": one by one", vector.get("image"), one.toText());
        testInfo(name, Bloom.parse(all.toBytes()).info().toMap(), all);
    }

    private static Bloom create(Map<String, Object> vector) {
        Map<String, Object> sizing = map(vector.get("sizing"));
        return Bloom.create(((Double) vector.get("capacity")).longValue(),
            (Double) vector.get("fpp"), ((Double) vector.get("growth")).intValue(),
            sizing == null ? null : new Sizing(((Double) sizing.get("blocks")).longValue(),
                ((Double) sizing.get("probes")).intValue(),
                ((Double) sizing.get("full_at")).longValue()));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object object) {
        return (Map<String, Object>) object;
    }
}
