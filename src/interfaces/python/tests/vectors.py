"""The vectors that the server and the readers in all languages share; test/vectors/write
makes them. BLOOMTYPE_VECTORS names another folder."""

import json
import os
import re
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
        # n letters A, zeros in base64, are written as A{n}
        return json.loads(re.sub(r"A{(\d+)}", lambda run: "A" * int(run[1]), file.read()))
