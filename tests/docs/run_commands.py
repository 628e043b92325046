#!/usr/bin/env python3
"""Runs the shell commands of a page as its reader does: each block of them, in order, in a copy of the sources.

usage: run_commands.py ASSAY SOURCES PAGE

A block whose first line is a comment with a file name and nothing else is that file. `# exit status N` stands behind a
command that ends with another status than 0; a comment `<!-- not run: REASON -->` on the line before a block leaves it
out. Ends with status 1 at the first command that ends otherwise, and where a page has nothing to run.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LONGEST = 240  # seconds that a command may take
FENCE = "```"


def blocks(lines):
    """The language, the lines, the reason not to run it, and the first line's number of each block of a page."""
    at, reason = 0, None
    while at < len(lines):
        line = lines[at]
        if line.startswith(FENCE):
            end = at + 1
            while lines[end] != FENCE:
                end += 1
            yield line[len(FENCE):], lines[at + 1:end], reason, at + 2
            at, reason = end, None
        elif match := re.fullmatch(r"<!-- not run: (.+) -->", line):
            reason = match[1]
        elif line.strip():
            reason = None
        at += 1


def run(command, folder, environment):
    """What went wrong, or None."""
    wanted = re.search(r"# exit status (\d+)", command)
    status = int(wanted[1]) if wanted else 0
    try:
        ended = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=LONGEST,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return f"ran for more than {LONGEST} s"
    if ended.returncode == status:
        return None
    return f"ended with status {ended.returncode}, not {status}:\n{ended.stdout[-4000:]}"


def copy_of(sources, assay, folder):
    """The sources without what was built from them, with the program where ci/build puts it."""
    left_out = shutil.ignore_patterns(".git", ".*", "build", "__pycache__")
    shutil.copytree(sources, folder, ignore=left_out, symlinks=True)
    built = folder / "build/release"
    built.mkdir(parents=True)
    (built / "assay").symlink_to(assay)
    return built


def main(assay, sources, page):
    assay, sources = pathlib.Path(assay).resolve(), pathlib.Path(sources).resolve()
    lines = (sources / page).read_text().split("\n")
    ran = left_out = 0
    with tempfile.TemporaryDirectory(prefix="assay-docs-") as scratch:
        folder = pathlib.Path(scratch) / "assay"
        built = copy_of(sources, assay, folder)
        environment = dict(os.environ, PATH=f"{built}:{os.environ['PATH']}", TMPDIR=scratch)
        for language, block, reason, number in blocks(lines):
            name = re.fullmatch(r"(?:#|//) ([A-Za-z_.]+)", block[0]) if block else None
            if name and language:
                (folder / name[1]).write_text("\n".join(block[1:]) + "\n")
            elif language == "sh" and reason:
                left_out += 1
            elif language == "sh":
                for offset, command in enumerate(block):
                    if not command.strip():
                        continue
                    ran += 1
                    if wrong := run(command, folder, environment):
                        print(f"{page}:{number + offset}: `{command}` {wrong}")
                        return 1
    print(f"{page}: {ran} commands ran, {left_out} blocks left out")
    return 0 if ran + left_out > 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
