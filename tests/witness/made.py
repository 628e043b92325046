"""Sets that are made on the spot, of every operation that the witness knows: `made.py PROGRAM [CASES [SEED]]`.

Packed weights are made in every arithmetic that they have.
"""

import subprocess
import sys
import tempfile

import witness
from operations import RIGHT

PACKED = ("_fp4", "_u4", "_s4")


def arithmetics(operation):
    """Options of sets beside the usual one."""
    if operation.startswith("gemm_") and operation.endswith(PACKED):
        return [[], ["--arithmetic", "half,half"], ["--arithmetic", "float,float"], ["--arithmetic", "float,half"]]
    if operation.startswith("dequantize_") and operation.endswith(PACKED):
        return [[], ["--arithmetic", "float,float"]]
    return [[], ["--arithmetic", "half"]] if operation == "gemm_trellis" else [[]]


def main(program, cases="40", seed="4711"):
    with tempfile.TemporaryDirectory(prefix="assay-witness-") as place:
        for operation in RIGHT:
            for options in arithmetics(operation):
                command = [program, "golden", "make", "--operation", operation, "--cases", cases, "--seed", seed]
                command += ["--out", place, "--jobs", "1", "--shard", "1/1", *options]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return witness.main([place])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
