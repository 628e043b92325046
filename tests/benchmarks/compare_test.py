"""Tests compare.py on programs that only say how long they took: which changes it sees, and which it leaves alone."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import scipy  # noqa: F401
except ImportError:
    print("skipped: python3-scipy is not installed")
    sys.exit(77)

COMPARE = pathlib.Path(__file__).with_name("compare.py")

# Stands in for a benchmark: its times are drawn around a mean, and both builds drift alike.
PROGRAM = """#!{python}
import json, pathlib, random, re, sys
options = dict(one[2:].split("=", 1) for one in sys.argv[1:])
state = pathlib.Path({state!r})
calls = int(state.read_text()) if state.exists() else 0
state.write_text(str(calls + 1))
random.seed({seed} + calls)
drift = 1 + 0.5 * calls / 20
rows = [{{"name": name, "time_unit": "us", "cpu_time": mean * drift * random.gauss(1, {spread}), "real_time": 1}}
        for name, mean in json.loads({means!r}).items() if re.search(options["benchmark_filter"], name)]
if rows: pathlib.Path(options["benchmark_out"]).write_text(json.dumps({{"benchmarks": rows}}))
"""


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def build(self, name, means, spread=0.02, program="speed_benchmark"):
        (self.root / name).mkdir(exist_ok=True)
        path = self.root / name / program
        path.write_text(PROGRAM.format(python=sys.executable, means=json.dumps(means), spread=spread,
                                       seed=random.Random(name).randrange(1000), state=str(path) + ".calls"))
        path.chmod(0o755)

    def compare(self, *options):
        return subprocess.run([sys.executable, COMPARE, self.root / "old", self.root / "new", *options],
                              capture_output=True, text=True, check=False)

    def test_the_same_speed_is_within_the_noise(self):
        means = {f"b{i}": 10 + i for i in range(30)}
        self.build("old", means)
        self.build("new", means)
        result = self.compare()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("30 benchmarks, 10 rounds: 0 slower, 0 faster, 30 within the noise", result.stdout)

    def test_names_what_got_slower_and_what_got_faster(self):
        self.build("old", {"same": 10, "slower": 10, "faster": 10})
        self.build("new", {"same": 10, "slower": 11, "faster": 9})
        result = self.compare()
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = {line.split()[0]: line for line in result.stdout.splitlines() if line[:1].isalpha()}
        self.assertTrue(lines["slower"].endswith("slower"), result.stdout)
        self.assertTrue(lines["faster"].endswith("faster"), result.stdout)
        self.assertTrue(lines["same"].endswith("%"), result.stdout)

    def test_a_change_below_the_noise_is_no_finding(self):
        self.build("old", {"b": 10}, spread=0.2)
        self.build("new", {"b": 10.5}, spread=0.2)
        result = self.compare("--rounds", "6")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_what_only_one_build_has_is_named(self):
        self.build("old", {"both": 10, "gone": 10})
        self.build("new", {"both": 10, "added": 10})
        self.build("new", {"x": 1}, program="later_benchmark")
        self.build("old", {"x": 1}, program="former_benchmark")
        result = self.compare()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("gone: in the old build only; not compared", result.stdout)
        self.assertIn("added: in the new build only; not compared", result.stdout)
        self.assertIn("later_benchmark: in the new build only; not compared", result.stdout)
        self.assertIn("former_benchmark: in the old build only; not compared", result.stdout)

    def test_a_filter_that_nothing_matches_is_status_2(self):
        self.build("old", {"b": 10})
        self.build("new", {"b": 10})
        self.assertEqual(self.compare("--filter", "nothing").returncode, 2)

    def test_a_program_that_fails_is_named(self):
        self.build("old", {"b": 10})
        self.build("new", {"b": 10})
        (self.root / "new/speed_benchmark").write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
        result = self.compare()
        self.assertEqual(result.returncode, 2)
        self.assertIn("ended with status 3: broken", result.stderr)

    # Its processor time was compared: that of a parent which waits.
    def test_a_benchmark_that_measures_by_the_clock_is_compared_by_the_clock(self):
        self.build("old", {"b/manual_time": 10})
        self.build("new", {"b/manual_time": 20})  # of the processor; PROGRAM has 1 by the clock for all
        result = self.compare()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
