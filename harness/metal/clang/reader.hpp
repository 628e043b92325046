// C++ text to LLVM's IR, by clang as a library. Clang's headers stay within this folder.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::metal {

/// Something that clang says of a text.
struct Diagnostic {
  struct Place {
    std::string file;
    std::uint32_t line = 0, column = 0;
  };
  Place place;
  std::string message;
  /// Where what is wrong was asked for: instantiations and calls, innermost first.
  std::vector<Place> asked_for_at;
};

/// What is read, and for what processor.
struct ReadRequest {
  std::string file;                       ///< the text
  std::vector<std::string> arguments;     ///< of `clang -cc1`: language, definitions, folders
  std::string cpu;                        ///< as LLVM names it
  std::vector<std::string> cpu_features;  ///< "+avx2", "-avx512fp16"
  std::string library;                    ///< the folder of the stand-in headers
};

/// The module before any optimisation, its functions marked as what may be optimised; null where the text
/// has errors, which then are in `errors`.
std::unique_ptr<llvm::Module> read_text(const ReadRequest& request, llvm::LLVMContext& context,
                                        std::vector<Diagnostic>& errors);

/// Reads headers once, for `-include-pch` of later texts. False where they have errors.
bool write_precompiled(const ReadRequest& request, const std::string& output,
                       std::vector<Diagnostic>& errors);

}  // namespace assay::metal
