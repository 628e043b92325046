// Which compiler this is, and which processor it compiles for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::metal {

/// What compilers say of themselves.
struct CompilerIdentity {
  std::string text;           ///< version and target, of the second reader too: part of every cache key
  std::string second_reader;  ///< the first of `readers` that works; "" if none does
};

/// Asks `compiler` and `readers`. What they say is kept in `cache`, until one of their files is another or
/// the processor is: asking takes longer than many a kernel. Of what may start another program, as a script or
/// ccache, nothing is kept. Throws ToolchainError where the compiler does not work.
CompilerIdentity identity_of(const std::string& compiler, const std::vector<std::string>& readers,
                             const std::filesystem::path& cache);

}  // namespace assay::metal
