#!/usr/bin/env python3
"""Tell which addresses of e-mail are those of customers; ask the server only if need be.

    served_filter.py [--listen] [SECONDS]

Reads an address from each line of its input and prints an answer. A filter of all addresses
is fetched at the start, and again when its version has changed: the program looks once in so
many seconds (60), or, with --listen, after each NOTIFY served_filter. Psycopg takes the
server's address from the environment, for example PGHOST.

The server has the tables

    served_filter(name text PRIMARY KEY, version bigint, filter bloom)
    customer(id bigint, email text)

A customer who was added after the filter was built is not in it, until the program has fetched
a newer one.
"""

import argparse
import sys
import threading
import time

import bloomtype
import psycopg

FETCH = "SELECT version, filter FROM served_filter WHERE name = %s AND version <> %s"
LOOK_UP = "SELECT id FROM customer WHERE email = %s"


class ServedFilter:
    """The newest filter of a name. Other threads may ask it while it is fetched again."""

    def __init__(self, name):
        self._name = name
        self._version = -1
        self._filter = None

    def fetch(self, connection):
        """Fetch the filter if its version has changed; else the server sends no row."""
        row = connection.execute(FETCH, (self._name, self._version)).fetchone()
        if row is not None:
            version, text = row
            self._filter = bloomtype.parse(text)
            self._version = version

    def may_contain(self, key):
        """Without a filter, any key may be there."""
        return self._filter is None or self._filter.contains(key)


def fetch_regularly(served, seconds):
    with psycopg.connect(autocommit=True) as connection:
        while True:
            served.fetch(connection)
            time.sleep(seconds)


def fetch_when_notified(served):
    # notifications are lost that arrive during a query of the same connection
    with psycopg.connect(autocommit=True) as listener, psycopg.connect(autocommit=True) as other:
        listener.execute("LISTEN served_filter")
        served.fetch(other)
        for _ in listener.notifies():
            served.fetch(other)


def follow(served, listen, seconds):
    """Keep the filter current for ever, through restarts of the server."""
    while True:
        try:
            if listen:
                fetch_when_notified(served)
            else:
                fetch_regularly(served, seconds)
        except psycopg.OperationalError as error:
            print(error, file=sys.stderr)
            time.sleep(seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", action="store_true")
    parser.add_argument("seconds", type=float, nargs="?", default=60)
    arguments = parser.parse_args()

    served = ServedFilter("customer")
    with psycopg.connect(autocommit=True) as connection:
        served.fetch(connection)
        threading.Thread(
            target=follow, args=(served, arguments.listen, arguments.seconds), daemon=True
        ).start()
        for line in sys.stdin:
            email = line.rstrip("\n")
            if not served.may_contain(email):
                answer = "certainly not"
            else:
                row = connection.execute(LOOK_UP, (email,)).fetchone()
                answer = "no, says the server" if row is None else f"customer {row[0]}"
            print(f"{email}: {answer}", flush=True)


if __name__ == "__main__":
    main()
