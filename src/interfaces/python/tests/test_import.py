"""What the package needs."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import bloomtype


class Import(unittest.TestCase):
    def test_old_xxhash(self):
        package = pathlib.Path(bloomtype.__file__).parent.parent
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "xxhash.py").touch()
            run = subprocess.run(
                [sys.executable, "-c", "import bloomtype"],
                env={**os.environ, "PYTHONPATH": os.pathsep.join((folder, str(package)))},
                stderr=subprocess.PIPE, universal_newlines=True,
            )
        self.assertEqual(
            run.stderr.splitlines()[-1],
            "ImportError: bloomtype needs the package xxhash, version 2.0 or later, "
            "with xxh3_64_intdigest",
        )


class Version(unittest.TestCase):
    def test_is_that_of_the_package(self):
        project = pathlib.Path(__file__).parent.parent / "pyproject.toml"
        (version,) = re.findall('^version = "(.*)"$', project.read_text(), re.MULTILINE)
        self.assertEqual(bloomtype.__version__, version)


if __name__ == "__main__":
    unittest.main()
