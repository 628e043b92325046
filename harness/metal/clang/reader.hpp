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
    auto operator<=>(const Place&) const = default;
  };
  Place place;
  std::string message;
  /// Where what is wrong was asked for: instantiations and calls, innermost first.
  std::vector<Place> asked_for_at;
};

/// Metadata of a module, from `#pragma METAL fp`: {file, line, column, end line, end column, contract,
/// reassociate} for each part of the text where one of the last two is not allowed.
inline constexpr const char* kRestrictedRanges = "assay.restricted";

/// What is read, and how.
struct ReadRequest {
  std::string file;                    ///< the text
  std::vector<std::string> arguments;  ///< of `clang -cc1`: target, language, definitions, folders
  std::string library;                 ///< the folder of the stand-in headers
  bool is_metal = true;                ///< variables of the file are constants
  bool saturating = false;             ///< conversions to integers that are written out saturate
};

/// The module before any optimisation, its functions marked as what may be optimised; null where the text
/// has errors, which then are in `errors`.
std::unique_ptr<llvm::Module> read_text(const ReadRequest& request, llvm::LLVMContext& context,
                                        std::vector<Diagnostic>& errors);

/// Reads headers once, for `-include-pch` of later texts. False where they have errors.
bool write_precompiled(const ReadRequest& request, const std::string& output,
                       std::vector<Diagnostic>& errors);

/// Writes what the preprocessor makes of a text to standard output. False where the text has errors.
bool preprocess_text(const ReadRequest& request, std::vector<Diagnostic>& errors);

/// Reads a text and compiles nothing; writes what clang says of it, notes too, to standard error.
bool check_syntax(const ReadRequest& request);

}  // namespace assay::metal
