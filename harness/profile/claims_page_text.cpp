#include "harness/profile/claims_page_text.hpp"

#include <fmt/format.h>

#include "harness/verify/claims.hpp"

namespace assay::profile {

std::string claims_head() {
  return R"(# The documents' figures, measured

Generated: `assay claims docs/claims.toml > docs/claims.md`. A test regenerates it and compares.

Here stands every number by which a design document ([documents.md](documents.md)) states something of kernels,
formats, sizes or speed, section by section, once for each section that has it. Numbers that only name or order
(sections, buffers, steps of a loop, versions, types) state nothing and are left out.

- **Counted**: the kernel of this repository runs on the simulated GPU, on a problem of one row of two tiles of the
  output, eight K tiles, groups of 32, eight interleaved streams and eight rows of a batch, or what a row says. A K
  tile's figure is the difference between eight and four K tiles, divided by the number between them, so that
  nothing outside the K loop enters. Where a kernel cannot work as its document has it, the kernel is put right and
  the figure differs. [Counters](#what-the-counters-mean) says what each one is.
- **By arithmetic**: no kernel has to run. The row has the expression. It is over figures of formats, which the
  reference works out (`format.NAME`), or over numbers that the document states itself: then the row says whether
  the document adds up, not whether its inputs are so.
- **Not measurable here**: with the reason.

)";
}

std::string counters_text() {
  std::string text = "## What the counters mean\n\n| counter | counts |\n|---|---|\n";
  for (const auto& counter : assay::counters()) {
    const char* of = counter.subject == Counter::Subject::tensor     ? "_of_TENSOR"
                     : counter.subject == Counter::Subject::variable ? "_of_VARIABLE"
                                                                     : "";
    text += fmt::format("| `{}{}` | {} |\n", counter.name, of, counter.about);
  }
  return text +
         "\nThe lanes of a simdgroup execute a load or store together when it is the same instruction and "
         "each "
         "lane has come to it\nthe same number of times since the last barrier. A matrix that is loaded or "
         "stored is one such access, of 8 rows.\nAtomic operations are neither loads nor stores here.\n\n";
}

}  // namespace assay::profile
