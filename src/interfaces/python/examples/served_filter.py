#!/usr/bin/env python3
"""Tell which addresses of e-mail are those of customers; ask the server only if need be.

    served_filter.py [SECONDS]

Reads an address from each line of its input and prints an answer. A filter of all addresses
is fetched at the start, and then every so many seconds (60) and after each NOTIFY
served_filter, if its version has changed. Without a filter, the server is asked. Psycopg takes the server's address from the
environment, for example PGHOST. The tables are those of doc/clients.md.

A customer who was added after the filter was built is not in it, until a newer filter was
built and fetched: till then the answer is "certainly not".
"""

import argparse
import select
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
        self.fetched = threading.Event()

    def fetch(self, connection):
        """Fetch the filter if its version has changed; else the server sends no row."""
        row = connection.execute(FETCH, (self._name, self._version)).fetchone()
        if row is not None:
            version, text = row
            self._filter = bloomtype.parse(text)
            self._version = version
        self.fetched.set()

    def may_contain(self, key):
        """Without a filter, any key may be there."""
        return self._filter is None or self._filter.contains(key)


def follow(served, seconds):
    """Keep the filter current for ever, through restarts of the server and other errors."""
    while True:
        try:
            with psycopg.connect(autocommit=True) as connection:
                notifications = []
                connection.add_notify_handler(notifications.append)
                connection.execute("LISTEN served_filter")
                while True:
                    notifications.clear()
                    served.fetch(connection)
                    # one that came during the query may be of a newer filter
                    if not notifications:
                        select.select([connection], [], [], seconds)
        except (psycopg.Error, bloomtype.InvalidFilterError) as error:
            print(error, file=sys.stderr, flush=True)
            time.sleep(min(seconds, 5))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float, nargs="?", default=60)
    seconds = parser.parse_args().seconds

    served = ServedFilter("customer.email")
    threading.Thread(target=follow, args=(served, seconds), daemon=True).start()
    if not served.fetched.wait(5):
        print("no filter was fetched yet", file=sys.stderr, flush=True)
    connection = None
    for line in sys.stdin:
        email = line.rstrip("\n")
        try:
            if not served.may_contain(email):
                answer = "certainly not"
            else:
                connection = connection or psycopg.connect(autocommit=True)
                row = connection.execute(LOOK_UP, (email,)).fetchone()
                answer = "no, says the server" if row is None else f"customer {row[0]}"
        except (psycopg.Error, ValueError) as error:
            answer = "unknown: " + " ".join(str(error).split())
            if connection:
                connection.close()
            connection = None
        print(f"{email}: {answer}", flush=True)


if __name__ == "__main__":
    main()
