"""Golden datasets: the package `assay_golden`, which needs nothing else of Assay, under Assay's name."""

from assay_golden import Case, GoldenError, Set, Stated, Wrong, open

__all__ = ["Case", "GoldenError", "Set", "Stated", "Wrong", "open"]
