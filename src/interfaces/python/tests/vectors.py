"""The vectors that the server and the readers in all languages share; test/vectors/write
makes them. BLOOMTYPE_VECTORS names another folder."""

import json
import os
import unittest
from pathlib import Path

FOLDER = Path(
    os.environ.get("BLOOMTYPE_VECTORS")
    or Path(__file__).resolve().parents[4] / "test" / "vectors"
)


def read(name):
    """The objects of a file."""
    if not FOLDER.is_dir():
        raise unittest.SkipTest(f"no vectors in {FOLDER}")
    with open(FOLDER / f"{name}.json", encoding="utf-8") as file:
        return json.load(file)
