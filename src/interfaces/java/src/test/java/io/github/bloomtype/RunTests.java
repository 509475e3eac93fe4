package io.github.bloomtype;

import java.nio.file.Path;

/** Runs all tests. The argument is the folder of the vectors. */
public final class RunTests {
    private RunTests() {}

    public static void main(String[] arguments) throws Exception {
        VectorTests.run(Path.of(arguments[0]));
        KeyTests.run();
        FilterTests.run();
        BloomTests.run();
        CuckooTests.run();
        MatrixTests.run(Path.of(arguments[0]));
        EstimateTests.run();
        System.out.println(Check.passed + " passed, " + Check.failed + " failed");
        System.exit(Check.failed == 0 ? 0 : 1);
    }
}
