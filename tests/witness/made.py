"""Sets that are made on the spot, of every operation that the witness knows: `made.py PROGRAM [CASES
[SEED]]`."""

import subprocess
import sys
import tempfile

import witness
from operations import RIGHT


def main(program, cases="60", seed="4711"):
    with tempfile.TemporaryDirectory(prefix="assay-witness-") as place:
        for operation in RIGHT:
            command = [
                program,
                "golden",
                "make",
                "--operation",
                operation,
                "--seed",
                seed,
                "--cases",
                cases,
                "--out",
                place,
            ]
            subprocess.run(command + ["--shard", "1/1"], check=True, stdout=subprocess.DEVNULL)
        return witness.main([place])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
