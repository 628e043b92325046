"""Takes golden files through MLX, which reads and writes the format by code of its own, and back:
`frameworks.py FOLDER`.

MLX has float64 but does not read it from files, so these tensors are left out of what it is given. Status 77
says that MLX is not installed.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from golden_file import open_golden

SKIPPED = 77


def differences(before, after):
    """What is not the same in two files, bit for bit, by tensor and metadata."""
    found = [] if before.metadata == after.metadata else [f"{before.path.name}: metadata differ"]
    for name in sorted(before.tensors.keys() | after.tensors.keys()):
        left, right = before.tensors.get(name), after.tensors.get(name)
        if left is None or right is None or (left.dtype, left.shape) != (right.dtype, right.shape):
            found.append(f"{before.path.name}: {name}: is missing, or of another type or shape")
        elif left.tobytes() != right.tobytes():
            found.append(f"{before.path.name}: {name}: holds other numbers")
    return found


def round_trip(path, place):
    """Differences between a file and what MLX makes of it, and how many tensors it could not be given."""
    import mlx.core

    golden = open_golden(path)
    doubles = [name for name, tensor in golden.tensors.items() if tensor.dtype == np.float64]
    for name in doubles:
        del golden.tensors[name]
    save_file(golden.tensors, place / "given", golden.metadata)
    # The file itself where it can be read as it is.
    arrays, metadata = mlx.core.load(
        str(place / "given" if doubles else path), format="safetensors", return_metadata=True
    )
    mlx.core.save_safetensors(str(place / "made.safetensors"), arrays, metadata)
    return differences(golden, open_golden(place / "made.safetensors")), len(doubles)


def main(folder):
    try:
        import mlx.core
    except ImportError as fault:
        print(f"skipped: MLX cannot be imported here: {fault}")
        return SKIPPED
    mlx.core.set_default_device(mlx.core.cpu)
    files, left_out, found = sorted(Path(folder).glob("*.safetensors")), 0, []
    with tempfile.TemporaryDirectory() as place:
        for path in files:
            differing, doubles = round_trip(path, Path(place))
            found += differing
            left_out += doubles
    for line in found:
        print(line)
    print(f"{folder}: {len(files)} files through MLX and back, but for {left_out} tensors of float64")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
