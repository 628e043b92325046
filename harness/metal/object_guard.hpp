// The last look at a compiled kernel before it is loaded: whatever its text was, it can only call the
// simulator, and nothing of it runs by itself.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/metal/toolchain.hpp"

namespace assay::metal {

/// The command that assembles what was compiled with `flags` to a listing.
inline std::vector<std::string> assemble_command(const Toolchain& tools,
                                                 const std::vector<std::string>& flags,
                                                 const std::filesystem::path& listing,
                                                 const std::filesystem::path& object) {
  std::vector<std::string> command = {tools.compiler, "-c", listing.string(), "-o", object.string()};
  for (const auto& flag : flags) {
    if (flag.starts_with("-Wa,")) command.push_back(flag);
  }
  return command;
}

/// The command that links a compiled kernel, or a reference, to the shared object `linked`. Nothing of that
/// runs when it is loaded (assay/nothing_at_load.ld), and no C++ name of it is seen from outside
/// (assay/local_names.map). For the checker's hooks it asks by the names that the linker's --wrap gives them
/// (assay/link_options): ThreadSanitizer's library has the others, and a program may be built with that.
inline std::vector<std::string> link_command(const Toolchain& tools, const std::filesystem::path& object,
                                             const std::filesystem::path& linked) {
  return {tools.compiler,
          "@" + (tools.stdlib / "assay/link_options").string(),
          "-T" + (tools.stdlib / "assay/nothing_at_load.ld").string(),
          "-Wl,--version-script=" + (tools.stdlib / "assay/local_names.map").string(),
          "-o",
          linked.string(),
          object.string(),
          "-lgcc",
          "-lm"};
}

/// What is wrong with an object, and the symbol that shows it ("" where it is no symbol).
struct ObjectFault {
  std::string message;
  std::string symbol;
};

/// Why a shared object, given as its bytes, must not be loaded; nothing if it may. It must not
/// - ask for a symbol that the simulator, its checker or the functions of libm and libc that the stand-in
///   headers are made of do not give (offered_symbols.hpp), nor define one of them itself, nor export others
///   than those that the loader looks up;
/// - have code that runs while it is loaded or unloaded (.init_array and its like, indirect functions),
/// memory
///   of threads, memory that is both written and executed, an executable stack;
/// - ask for libraries other than libm, or for anything of the dynamic loader that kernels have no use for.
/// Sections, symbols and relocations of the object are taken for foreign data.
std::optional<ObjectFault> object_fault(const std::string& object);

/// Those bytes, if they may be loaded. Otherwise throws UnsupportedFeature, at the first place where `text`,
/// the kernel as the compiler saw it, names the symbol, or else at the file `source`.
std::string guarded_object(std::string object, const std::string& text, const std::string& source);

}  // namespace assay::metal
