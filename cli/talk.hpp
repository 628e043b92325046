// How much a command says.
#pragma once

namespace assay::cli {

enum class Talk {
  quiet,  ///< --quiet: what failed, and the verdict on the whole
  normal,
  verbose,  ///< --verbose: each step too, with what it took
};

}  // namespace assay::cli
