// C++ text to LLVM's IR, by clang as a library. Clang's headers stay within this folder.
#pragma once

#include <llvm/IR/Module.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/metal/text/outline.hpp"

namespace assay::metal {

/// Something that clang says of a text.
struct Diagnostic {
  struct Place {
    std::string file;
    std::uint32_t line = 0, column = 0;
    /// Of the text that clang reads, whatever lines it says it has; none of another file's.
    std::optional<unsigned> byte = {};

    bool operator==(const Place& other) const {
      return file == other.file && line == other.line && column == other.column;
    }
    std::strong_ordering operator<=>(const Place& other) const {
      return std::tie(file, line, column) <=> std::tie(other.file, other.line, other.column);
    }
  };
  Place place;
  std::string message;
  /// Where what is wrong was asked for: instantiations and calls, innermost first.
  std::vector<Place> asked_for_at;

  /// The innermost place of the text; none where only other files have to do with it.
  std::optional<unsigned> byte_of_text() const {
    std::optional<unsigned> byte = place.byte;
    for (const Place& way : asked_for_at)
      if (!byte) byte = way.byte;
    return byte;
  }
};

/// A function constant that has no value.
struct UnsetConstant {
  std::uint32_t index = 0;
  std::string name;
  Diagnostic::Place place;

  /// What code that uses it is left asking for: such code cannot be run.
  std::string symbol() const { return "assay_undefined_constant_" + std::to_string(index); }
  /// What is said of it where it is used.
  std::string complaint() const;
};
/// Metadata of a module, from `#pragma METAL fp`: {file, line, column, end line, end column, contract,
/// reassociate} for each part of the text where one of the last two is not allowed.
inline constexpr const char* kRestrictedRanges = "assay.restricted";

/// The same of each loop of the text: {file, first line, last line, it calls one function at most}.
inline constexpr const char* kTextLoops = "assay.loops";

/// What the annotation of a variable in threadgroup memory begins with; the number of its slot follows.
inline const std::string kSlotAnnotation = "threadgroup_slot:";

/// What is read, and how.
struct ReadRequest {
  std::string file;                    ///< the text
  std::vector<std::string> arguments;  ///< of `clang -cc1`: target, language, definitions, folders
  std::string library;                 ///< the folder of the stand-in headers
  bool is_metal = true;                ///< variables of the file are constants
  std::string function;                ///< the kernel: its name, or its host_name; "" of a text without
  std::map<std::uint32_t, std::string> function_constants;  ///< index to literal
  bool lambdas = true;                                      ///< are in that version of Metal
  bool saturating = false;    ///< conversions to integers that are written out saturate
  bool all_coherent = false;  ///< device memory is, whatever is declared: in Metal before 3.2
  bool spaces = false;        ///< address spaces are held against each other, too
  bool lists = false;         ///< the text has kernels, and none of them is meant
  bool syntax = false;        ///< an outline has that, too
};

/// From, and up to, bytes of a text.
using TextRanges = std::vector<std::pair<unsigned, unsigned>>;

/// A text as a program.
struct ReadText {
  std::unique_ptr<llvm::Module> module;  ///< null where the text has errors
  std::vector<UnsetConstant> unset;      ///< what it must not be left with a use of
};

/// The module before any optimisation, its functions marked as what may be optimised. What is wrong with the
/// text is in `errors`.
ReadText read_text(const ReadRequest& request, llvm::LLVMContext& context, std::vector<Diagnostic>& errors);

/// What a text says of its kernel; without one, which it has.
Outline outline_of(const ReadRequest& request, std::vector<Diagnostic>& errors);

/// Reads headers once, for `-include-pch` of later texts. False where they have errors.
bool write_precompiled(const ReadRequest& request, const std::string& output,
                       std::vector<Diagnostic>& errors);

/// Writes what the preprocessor makes of a text to standard output. False where the text has errors.
bool preprocess_text(const ReadRequest& request, std::vector<Diagnostic>& errors);

}  // namespace assay::metal
