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
/// - if `inlined`, a function of the text's own that is called rather than inlined: of what is passed by
/// value
///   to it and from it g++ announces nothing (stdlib/assay/entry.h, ASSAY_IN_ONE);
/// - the address of a function of the text as a value.
/// `graph` is g++'s file of calls, `listing` its assembly, `stdlib` where the stand-in headers are: their
/// functions may be called.
std::optional<CallFault> call_fault(const std::string& graph, const std::string& listing, bool inlined,
                                    const std::filesystem::path& stdlib);

/// Throws CompileError for it. `source` is to blame where no file is known.
void refuse_calls(const std::string& graph, const std::string& listing, bool inlined,
                  const std::filesystem::path& stdlib, const std::string& source);

}  // namespace assay::metal
