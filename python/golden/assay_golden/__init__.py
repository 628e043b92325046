"""Golden datasets of Assay: open a set, run a kernel over its cases, check what it gives.

    import assay_golden

    for case in assay_golden.open("sets", operation="gemm_fp4"):
        case.check({"C": my_kernel(case["A"], case["B"], case["scales"], case.dims["group_size"])})

Needs NumPy and safetensors alone, on any machine. docs/golden.md says what a file holds, docs/formats.md how weights are
packed.
"""

from ._case import Case, GoldenError, Stated, Wrong
from ._set import Set, open

__all__ = ["Case", "GoldenError", "Set", "Stated", "Wrong", "open"]
