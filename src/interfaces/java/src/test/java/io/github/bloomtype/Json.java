package io.github.bloomtype;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the vectors: objects as maps, arrays as lists, numbers as doubles. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> read(Path file) throws Exception {
        String text = Pattern.compile("A\\{(\\d+)}").matcher(Files.readString(file))
            .replaceAll(run -> "A".repeat(Integer.parseInt(run.group(1))));
        return (List<Map<String, Object>>) new Json(text).value();
    }

    private Object value() {
        switch (peek()) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            default:
                return word();
        }
    }

    private char peek() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw new IllegalStateException("no " + c + " at " + at);
        }
        at++;
    }

    /* Is there a comma, and so another element? */
    private boolean more(char end) {
        if (peek() == ',') {
            at++;
            return true;
        }
        expect(end);
        return false;
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        expect('{');
        do {
            peek();
            String name = string();
            expect(':');
            members.put(name, value());
        } while (more('}'));
        return members;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        expect('[');
        if (peek() == ']') {
            at++;
            return elements;
        }
        do {
            elements.add(value());
        } while (more(']'));
        return elements;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        expect('"');
        for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
            string.append(c == '\\' ? escaped() : c);
        }
        return string.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        switch (c) {
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            default:
                return c;
        }
    }

    private Object word() {
        int from = at;
        while (",]} \n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(from, at);
        switch (word) {
            case "null":
                return null;
            case "true":
                return true;
            case "false":
                return false;
            default:
                return Double.valueOf(word);
        }
    }
}
