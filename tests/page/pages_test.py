"""Pages of runs with most verdicts, opened in headless Chromium: they say what their JSON says, ask nothing of a
network, log nothing, are built as screen readers need it, and hold a kernel's text as text.

pages_test.py ASSAY SOURCE_DIR
"""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ASSAY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
SKIPPED = 77
LARGEST_PAGE = 2_000_000
DRAWN_WITHIN_S = 20  # by a browser that starts, on a busy machine; the benchmark of a page says how long it takes

# Name, body, verdict. Text that would be markup, were it not escaped, is part of one of them.
BODIES = [
    ("writes_ones", "for (uint e = i; e < M * N; e += 32) C[e] = 1;", "wrong result"),
    ("races", "C[0] = half(i); // </pre><script>document.title = 1</script>", "race"),
    ("out_of_bounds", "C[M * N + i] = 0;", "out of bounds"),
    ("misaligned", "if (i == 0) C[0] = *(device half*)((device uchar*)B + min(M, 1u));", "misaligned"),
    ("uninitialised", "threadgroup half t[32]; if (i == 0) { t[0] = 1; C[0] = t[5]; }", "uninitialised read"),
    ("diverges", "if (i < 16) threadgroup_barrier(mem_flags::mem_threadgroup); C[0] = 0;", "divergent barrier"),
    ("deadlocks", "threadgroup atomic_uint t; atomic_store_explicit(&t, 1u, memory_order_relaxed); "
                  "while (atomic_load_explicit(&t, memory_order_relaxed) != 9) {} C[0] = 0;", "deadlock"),
    ("over_budget", "threadgroup uint t[8193]; t[i] = i; C[0] = half(t[i]);", "over budget"),
    ("never_ends", "volatile uint n = 1; while (n != 0) {} C[i] = 0;", "timeout"),
    ("crashes", "*(device half*)(ulong(i) * 8 + 64) = 0;", "out of bounds"),
    ("unsupported", "texture2d_ms_array<float> t; C[0] = 0;", "unsupported"),
    ("no_metal", "C[0] = ;", "error"),
]
HEAD = """#include <metal_stdlib>
using namespace metal;
kernel void {}(device const half* A [[buffer(0)]], device const uint* B [[buffer(1)]],
              device const half* scales [[buffer(2)]], device half* C [[buffer(3)]],
              constant uint& M [[buffer(4)]], constant uint& N [[buffer(5)]],
              constant uint& K [[buffer(6)]], constant uint& group_size [[buffer(7)]],
              uint i [[thread_index_in_threadgroup]]) {{
{}
}}
"""
PRODUCT = """[[kernel]]
name = "{0}"
source = "{0}.metal"
operation = "gemm_fp4"
arguments = ["A", "B", "scales", "C", "M", "N", "K", "group_size"]
threads_per_threadgroup = 32
tile = {{ m = 8, n = 8, k = 8 }}
grid = "tiles"
"""
WEIGHTS = """[[kernel]]
name = "{}"
function = "dequant_fp4"
source = "dequant_fp4.metal"
operation = "dequantize_fp4"
arguments = ["B", "scales", "W", "K", "N", "group_size"]
threads_per_threadgroup = [32, 4, 1]
grid = ["ceil(N / 32)", "ceil(K / 32)", 1]
arithmetic = {{ dequantize = "half" }}
claims = {{ loads_of_B = {} }}
"""


def must(condition, *what):
    if not condition:
        sys.exit("FAILED: " + " ".join(str(one) for one in what))


class Page(html.parser.HTMLParser):
    """What a test asks of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.figures, self.outside = [], [], [], [], []
        self.headings, self.tables, self.drawings, self.text = [], [], [], []
        self.feed(text)
        must(not self.open, "not closed:", self.open)

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        if "id" in at:
            self.ids.append(at["id"])
        for name, value in at.items():
            must(not name.startswith("on"), "handler", name)
            if name in ("src", "href", "srcset", "action", "data", "xlink:href"):
                self.links.append(value)
        if tag in ("img", "iframe", "object", "embed", "link", "base", "form"):
            self.outside.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "table":
            self.tables.append({"caption": False, "heads": 0})
        if tag == "caption":
            self.tables[-1]["caption"] = True
        if tag == "th":
            must("scope" in at, "a head of a table without a scope")
            self.tables[-1]["heads"] += 1
        if tag == "svg":
            self.drawings.append(at)
        if tag == "data":
            self.figures.append([at, ""])
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        must(self.open and self.open[-1] == tag, "</", tag, "where", self.open[-3:], "is open")
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "data":
            self.figures[-1][1] += data
        if "script" not in self.open and "style" not in self.open:
            self.text.append(data)


def value_at(report, pointer):
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        report = report[int(part)] if isinstance(report, list) else report[part]
    return report


def check_figures(page, report):
    told = 0
    for attributes, words in page.figures:
        pointer = attributes.get("data-json")
        if pointer is None:
            continue
        value = value_at(report, pointer)
        must(float(attributes["value"]) == value, pointer, "is", value, "in the report, and on the page", attributes)
        if isinstance(value, int):
            must(words == f"{value:,}", pointer, "is shown as", words)
        elif words.endswith(" s") and "min" not in words:
            must(abs(float(words[:-2]) - value) <= 0.0051, pointer, "is shown as", words)
        told += 1
    must(told > 0, "no figure of the page is one of the report")
    return told


def check_markup(page, text):
    must(len(page.ids) == len(set(page.ids)), "ids are there twice")
    must(not page.outside, "elements that load something:", page.outside)
    for link in page.links:
        must(re.fullmatch(r"#[\w-]+|(verify|mutate|profile)\.(html|json)", link), "a link to", link)
        if link.startswith("#"):
            must(link[1:] in page.ids, "a link to nothing:", link)
    must(page.headings.count(1) == 1 and page.headings[0] == 1, "headings", page.headings[:5])
    for before, after in zip(page.headings, page.headings[1:]):
        must(after <= before + 1, "a heading of level", after, "follows one of level", before)
    for table in page.tables:
        must(table["caption"] and table["heads"] > 1, "a table without a caption or heads")
    for drawing in page.drawings:
        if drawing.get("aria-hidden") == "true":
            continue
        names = drawing.get("aria-labelledby", "").split()
        must(drawing.get("role") == "img" and len(names) == 2 and set(names) <= set(page.ids), "a drawing without words")
    must(" style=" not in text, "a style attribute, which the policy forbids")
    must(len(text.encode()) < LARGEST_PAGE, "a page of", len(text), "bytes")


def browse(file, scratch):
    """The page as Chromium makes it, and what it logged; seconds."""
    began = time.monotonic()
    result = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         f"--user-data-dir={scratch}/chromium", f"--log-net-log={scratch}/net.json", "--enable-logging=stderr", "--v=0",
         "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=120, check=False)
    must(result.returncode == 0, "chromium ended with", result.returncode, result.stderr[-2000:])
    return result.stdout, result.stderr, time.monotonic() - began


def check_in_browser(file, scratch):
    dom, log, seconds = browse(file, scratch)
    must('CONSOLE' not in log, "the console says:", [line for line in log.splitlines() if "CONSOLE" in line])
    net = (scratch / "net.json").read_text(errors="replace")
    own = [url for url in set(re.findall(r'"url":"([^"]+)"', net)) if url.startswith(("http:", "https:", "ws:", "ftp:"))]
    page_name = file.name.encode()
    must(not any(page_name.decode() in url for url in own), "a request from the page", own)
    # The script ran: it shows the button that changes colours, and no text of a kernel became one.
    must(re.search(r'<button type="button" id="theme">(Dark|Light) colours</button>', dom), "the script did not run")
    must(seconds < DRAWN_WITHIN_S, "drawn in", seconds, "s")
    return dom, seconds


def check_page(directory, command, scratch):
    file = directory / f"{command}.html"
    text = file.read_text(encoding="utf-8")
    report = json.loads((directory / f"{command}.json").read_text(encoding="utf-8"))
    page = Page(text)
    told = check_figures(page, report)
    check_markup(page, text)
    must("default-src &#39;none&#39;" in text, "no policy")
    dom, seconds = check_in_browser(file, scratch)
    print(f"{command}: {len(text):,} bytes, {told:,} figures as in the report, {seconds:.1f} s with the browser's start")
    return page, report, dom


def assay(arguments, folder, statuses):
    result = subprocess.run([ASSAY, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    must(result.returncode in statuses, arguments, "ended with", result.returncode, result.stdout, result.stderr)
    return result.stdout


def write_kernels(folder):
    shutil.copytree(SOURCE / "kernels/include", folder / "include")
    shutil.copy(SOURCE / "kernels/dequant_fp4.metal", folder)
    manifest = WEIGHTS.format("passes", 1) + WEIGHTS.format("claims_too_much", 7)
    for name, body, _ in BODIES:
        (folder / f"{name}.metal").write_text(HEAD.format(name, body))
        manifest += PRODUCT.format(name)
    (folder / "m.toml").write_text(manifest)


def check_verdicts(page, report):
    verdicts = {kernel["name"]: kernel["verdict"] for kernel in report["kernels"]}
    wanted = {name: verdict for name, _, verdict in BODIES} | {"passes": "pass", "claims_too_much": "claim differs"}
    must(verdicts == wanted, verdicts)
    text = " ".join(page.text)
    # A file keeps its name where a sentence begins with it.
    must("races.metal:" in "".join(page.text) and "Races.metal:" not in "".join(page.text), "a file has another name")
    for name, verdict in wanted.items():
        must(name in text and verdict in text, name, verdict)
    must("</pre><script>document.title = 1</script>" in " ".join("".join(page.text).split()), "a kernel's text is not shown")
    # Each fault has its line, each case its command, a race its two accesses in order.
    for kernel in report["kernels"]:
        decisive = next(mode for mode in kernel["modes"] if mode["mode"] == kernel["decisive_mode"])
        if kernel["verdict"] == "pass":
            must(decisive["failure"] is None, kernel["name"], "passes with a failure")
            continue
        if decisive["replay"]:
            must(decisive["replay"] in "".join(page.text), "no line to copy for", kernel["name"])
        if decisive["place"] and decisive["place"]["line"]:
            lines = [line for source in decisive["failure"]["sources"] for line in source["lines"]]
            must(lines, kernel["name"], "has a place, and no text around it")
    race = next(kernel for kernel in report["kernels"] if kernel["name"] == "races")["modes"]
    fault = next(mode for mode in race if mode["mode"] == "checked")["failure"]["faults"][0]
    must(len(fault["accesses"]) == 2 and all(one["write"] for one in fault["accesses"]), fault)
    must("no barrier between them" in text, "no timeline")
    ones = next(kernel for kernel in report["kernels"] if kernel["name"] == "writes_ones")["modes"][0]["failure"]
    must(ones["outputs"][0]["map"]["cells"] and ones["outputs"][0]["map"]["storers"], "no map, or nobody stored it")
    shown = [one for one in ones["inputs"] if one["values"]]
    must(shown, "no input of the smallest case is small")
    for one in shown:
        must(f"{one['tensor']} {one['shape']} {one['dtype']}: {', '.join(one['values'])}" in " ".join("".join(page.text).split()), one)


def main():
    with tempfile.TemporaryDirectory(prefix="assay-page-") as name:
        scratch = pathlib.Path(name)
        folder = scratch / "kernels"
        folder.mkdir()
        write_kernels(folder)
        out = scratch / "out"
        # Before the run of verify, which shows the scores of its kernels where both are of the same texts.
        said = assay(["mutate", "passes", "--manifest", "m.toml", "--sample", "6", "--cases", "2", "--report", str(out)], folder, {0, 1})
        must("mutate.html" in said, said)
        said = assay(["verify", "--manifest", "m.toml", "--numerics", "strict", "--cases", "60", "--timeout", "2", "--report", str(out)], folder, {1})
        must("verify.html" in said, said)
        assay(["profile", "passes", "claims_too_much", "--manifest", "m.toml", "--report", str(out)], folder, {1})
        page, report, dom = check_page(out, "verify", scratch)
        check_verdicts(page, report)
        must("<title>1</title>" not in dom, "a kernel's text ran as a script")
        must("mutate.json is of other kernels" in " ".join(page.text), "scores of other texts are not told apart")
        page, report, _ = check_page(out, "mutate", scratch)
        survived = sum(kernel["totals"]["survived"] for kernel in report["kernels"])
        must("".join(page.text).count("before: ") >= survived, "survivors are not shown")
        page, report, _ = check_page(out, "profile", scratch)
        must("differs" in " ".join(page.text), "no claim differs")
        assay(["verify", "passes", "--manifest", "m.toml", "--mode", "fast", "--numerics", "strict", "--report", str(out)], folder, {0})
        text = (out / "verify.html").read_text(encoding="utf-8")
        must("Mutants rejected" in text, "the score of mutants of the same texts is not shown")


CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    print("skipped: chromium is not installed (ci/packages-test.txt)")
    sys.exit(SKIPPED)
main()
