/** Reads and builds the filters of bloomtype, a PostgreSQL extension. */
module io.github.bloomtype {
    /* for keys of its classes, if an application has them */
    requires static java.sql;

    exports io.github.bloomtype;
}
