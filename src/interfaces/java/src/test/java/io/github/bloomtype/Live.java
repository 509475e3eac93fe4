package io.github.bloomtype;

import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The reader's side of the script test/interfaces/java, which compares its files with the server.
 * The argument is a file of commands, which test/interfaces/reader.sh describes.
 */
public final class Live {
    private Live() {}

    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            run(line.split("\t"));
        }
    }

    private static void run(String[] command) throws Exception {
        switch (command[0]) {
            case "add":
                add(command[1], command[2], command[3], command[4]);
                break;
            case "ask":
                Filter filter = parse(command[1]);
                convert(command[3], command[4], key -> answer(filter, key(key, command[2])));
                break;
            case "build":
                build(command);
                break;
            case "keys":
                convert(command[2], command[3], value -> key(value, command[1]).toString());
                break;
            case "numbers":
                convert(command[1], command[2], Live::number);
                break;
            case "reasons":
                convert(command[1], command[2], Live::reason);
                break;
            case "sizings":
                convert(command[1], command[2], Live::acceptedOrRefused);
                break;
            default:
                throw new IllegalArgumentException(command[0]);
        }
    }

    private static void convert(String from, String to, UnaryOperator<String> conversion)
            throws Exception {
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(to))) {
            for (String line : Files.readAllLines(Path.of(from))) {
                out.write(conversion.apply(line));
                out.newLine();
            }
        }
    }

    private static Key key(String text, String type) {
        return type.equals("bloom_key") ? Key.parse(text) : Key.of(text, type);
    }

    private static String answer(Filter filter, Key key) {
        String answer = String.valueOf(filter.contains(key));
        if (filter instanceof Cuckoo) {
            return answer + " " + ((Cuckoo) filter).count(key);
        }
        return filter instanceof CountingBloom
            ? answer + " " + ((CountingBloom) filter).count(key).orElse(-1) : answer;
    }

    private static Filter parse(String file) throws Exception {
        return Filter.parse(Files.readString(Path.of(file)).strip());
    }

    private static List<Key> keys(String type, String values) throws Exception {
        return Files.readAllLines(Path.of(values)).stream()
            .map(value -> key(value, type)).collect(Collectors.toList());
    }

    private static void add(String from, String type, String values, String to) throws Exception {
        Bloom filter = (Bloom) parse(from);
        filter.addAll(keys(type, values));
        Files.writeString(Path.of(to), filter.toText() + "\n");
    }

    private static void build(String[] command) throws Exception {
        Bloom filter = Bloom.create(Long.parseLong(command[1]),
            Double.parseDouble(command[2]), Integer.parseInt(command[3]), sizing(command[4]));
        filter.addAll(keys(command[5], command[6]));
        Files.writeString(Path.of(command[7]), filter.toText() + "\n");
    }

    private static Sizing sizing(String columns) {
        String[] sizing = columns.split(",");
        return sizing.length < 3 ? null : new Sizing(Long.valueOf(sizing[0]),
            Integer.valueOf(sizing[1]), Long.valueOf(sizing[2]));
    }

    private static String acceptedOrRefused(String line) {
        String[] parts = line.split(" ");
        try {
            Bloom.create(
                Long.parseLong(parts[0]), Double.parseDouble(parts[1]), 2, sizing(parts[2]));
            return "accepted";
        } catch (IllegalArgumentException e) {
            if (!e.getMessage().startsWith("the sizing is not the one of bloom_sizing(")) {
                throw e;
            }
            return "refused";
        }
    }

    private static String number(String filter) {
        OptionalLong keys = Bloom.parse(filter).cardinality();
        return keys.isPresent() ? String.valueOf(keys.getAsLong()) : "";
    }

    private static String reason(String line) {
        int blank = line.indexOf(' ');
        try {
            VectorTests.parse(line.substring(0, blank), line.substring(blank + 1));
            return "accepted";
        } catch (InvalidFilterException e) {
            return e.reason();
        }
    }
}
