// Who calls whom in compiled code, as g++ itself has noted it (-fcallgraph-info): calls through pointers and
// recursion, which Metal lacks, and in which accesses go unannounced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace assay::metal {

/// A call or a name that no Metal compiles to.
struct CallFault {
  std::string file;  ///< as in the text's line markers; "" where it is not known
  std::uint32_t line = 0;
  std::string message;
};

/// The first fault of code that g++ has compiled:
/// - a call of what is no function by name: through a pointer, in whatever way the text has come by it;
/// - a function that calls itself, directly or through others;
/// - the address of a function of the text as a value.
/// `graph` is g++'s file of calls, `listing` its assembly.
std::optional<CallFault> call_fault(const std::string& graph, const std::string& listing);

/// Throws CompileError for it. `source` is to blame where no file is known, or one of the stand-in headers in
/// `stdlib`.
void refuse_calls(const std::string& graph, const std::string& listing, const std::filesystem::path& stdlib,
                  const std::string& source);

}  // namespace assay::metal
