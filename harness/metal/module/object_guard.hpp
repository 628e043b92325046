// The last look at a compiled kernel before it is loaded: whatever its text was, it can only call the
// simulator, and nothing of it runs by itself.
#pragma once

#include <optional>
#include <string>

namespace assay::metal {

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
