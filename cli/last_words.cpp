#include "cli/last_words.hpp"

#include "cli/output.hpp"

namespace assay::cli {

int interrupted(const process::Interrupted& by, const std::string& so_far) {
  flush();  // what is on standard output comes first
  complain("assay: interrupted: " + so_far);
  return 128 + by.signal();
}

}  // namespace assay::cli
