/** Reads and builds the filters of bloomtype, a PostgreSQL extension. */
module io.github.bloomtype {
    exports io.github.bloomtype;
}
