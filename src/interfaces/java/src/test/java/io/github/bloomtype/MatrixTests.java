package io.github.bloomtype;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Matrices: what the vectors do not show. */
final class MatrixTests {
    private static Path folder;

    private MatrixTests() {}

    static void run(Path vectors) throws Exception {
        folder = vectors;
        testQuestions();
        testWithoutKeys();
        testChangedFilter();
        testInput();
        testSummary();
    }

    private static Matrix matrix(String name) throws Exception {
        for (Map<String, Object> vector : Json.read(folder.resolve("matrices.json"))) {
            if (vector.get("name").equals(name)) {
                return Matrix.parse((String) vector.get("image"));
            }
        }
        throw new IllegalStateException(name);
    }

    private static Matrix example() throws Exception {
        return matrix("the example of FORMAT.md");
    }

    private static void testQuestions() throws Exception {
        Matrix matrix = example();
        Check.equal("red", List.of(-1L, 2L), VectorTests.list(matrix.search("red")));
        Check.equal("a bpchar", List.of(-1L, 7L),
            VectorTests.list(matrix.search(Key.of("blue  ", "bpchar"))));
        Check.isTrue("a filter", matrix.filter(7).get().contains("blue"));
        Check.isTrue("no filter", matrix.filter(3).isEmpty());
        Check.fails("null", NullPointerException.class, () -> matrix.search(null));
        Check.fails("a number", KeyMismatchException.class,
            "cannot probe a filter of text keys with a key of family number; ",
            () -> matrix.search(1));
        Matrix rows = matrix("row");
        Check.fails("another subtype", KeyMismatchException.class,
            () -> rows.search(Key.parse("row/00000001:0000000000000001")));
        Matrix numbers = matrix("one layer");
        Check.equal("an int", List.of(1L), VectorTests.list(numbers.search(101)));
        Check.fails("a char", IllegalArgumentException.class, () -> numbers.search('5'));
    }

    private static void testWithoutKeys() throws Exception {
        for (String name : List.of("no columns", "no keys")) {
            Matrix matrix = matrix(name);
            Check.equal("family", "none", matrix.family());
            for (Object key : List.of(1, "red", Key.parse("row/00000001:0000000000000001"))) {
                Check.equal(name + ": " + key, 0, matrix.search(key).length);
            }
            Check.fails("null", NullPointerException.class, () -> matrix.search(null));
        }
    }

    private static void testChangedFilter() throws Exception {
        Matrix matrix = example();
        matrix.filter(7).get().add("red");
        matrix.toBytes()[0] = 0;
        matrix.columns()[0] = 0;
        Check.equal("unchanged", example(), matrix);
    }

    private static void testInput() throws Exception {
        Matrix matrix = example();
        String text = matrix.toText();
        Check.fails("as a filter", InvalidFilterException.class,
            "invalid value for type filter: It is of another kind of filter.",
            () -> Filter.parse(text));
        Check.fails("as a bloom", InvalidFilterException.class,
            "invalid value for type bloom: It is of another kind of filter.",
            () -> Bloom.parse(text));
        Check.equal("of so many bytes", matrix, Matrix.parse(text, 8700));
        Check.equal("of so many bytes", matrix, Matrix.parse(matrix.toBytes(), 8700));
        String reason = "invalid value for type bloom_matrix: It is longer than 8699 bytes.";
        Check.fails("too long", InvalidFilterException.class, reason,
            () -> Matrix.parse(text, 8699));
        Check.fails("too long", InvalidFilterException.class, reason,
            () -> Matrix.parse(matrix.toBytes(), 8699));
        Check.fails("no base64", InvalidFilterException.class,
            "invalid input syntax for type bloom_matrix: The value is not base64",
            () -> Matrix.parse("?"));
    }

    private static void testSummary() throws Exception {
        Matrix matrix = example();
        Check.equal("summary", "Matrix[family=text, columns=3, blocks=2, bytes=8700]",
            matrix.toString());
        Check.isTrue("info", matrix.info().toString().startsWith(
            "MatrixInfo{key_family=text, columns=3, blocks=2, probes=2, bytes=8700, max_fpp="));
        Check.isTrue("another matrix", !matrix.equals(matrix("row")));
        Check.isTrue("a filter", !matrix.equals((Object) matrix.filter(7).get()));
    }
}
