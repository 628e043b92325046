// From preprocessed texts to shared objects: what assay-compiler (harness/metal/compiler) is told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/metal/compile/library_parts.hpp"
#include "harness/metal/compile/process.hpp"
#include "harness/metal/compile/toolchain.hpp"

namespace assay::metal {

/// How texts are compiled.
struct CompileSettings {
  std::string kind;                    ///< of code: fast, checked, watched, reference
  std::vector<std::string> arguments;  ///< of `clang -cc1`, without input, output and places
  std::string prelude;                 ///< what stands ahead of every text, precompiled in the cache
  std::string function = {};           ///< the kernel, as the host or the text calls it; "" of other texts
  std::map<std::uint32_t, std::string> function_constants = {};  ///< index to literal
  Numerics numerics = Numerics::strict;  ///< what the passes over IR make of arithmetic
  bool lambdas = true;                   ///< are in that version of Metal
  bool all_coherent = false;             ///< device memory is, whatever is declared: in Metal before 3.2
  bool spaces = false;                   ///< address spaces are held against each other
  std::string macros = {};               ///< of an outline: enumerators behind the text
  bool lists = false;                    ///< of an outline: no kernel is meant
  bool syntax = false;                   ///< of an outline: it has that
  bool saturating = false;               ///< conversions to integers that are written out saturate
  bool count_steps = false;              ///< of loops (ir/steps.hpp)
  bool quick = false;     ///< hardly optimised: for what runs for a moment, in strict arithmetic
  bool compared = false;  ///< calls are inlined, so that texts of one program have one code
  bool unrolled = false;  ///< loops are unrolled, so that more have: takes ten times as long
  bool places = true;     ///< false: the same code has the same bytes, and tells no places
};

/// How a kernel is compiled that needs these parts of the library.
CompileSettings kernel_settings(const device::KernelSource& source, Flavour flavour, Numerics numerics,
                                const LibraryParts& parts);

/// The name of what is made from a text in this way.
std::string name_of_object(const Toolchain& tools, const CompileSettings& settings, const std::string& text);

/// An object, or why there is none.
struct CompileResult {
  std::string object;  ///< the bytes of a shared object
  std::string
      complaint;         ///< what the compiler said; a line "FILE:LINE:COLUMN: error: MESSAGE" for each error
  bool gave_up = false;  ///< the compiler ended with no word on the text, as for want of time or memory
};

/// Compiles texts, each by itself, in one process. Throws ToolchainError.
std::vector<CompileResult> compile_texts(const CompileSettings& settings,
                                         const std::vector<std::string>& texts, const Toolchain& tools);

/// Reads a text and compiles nothing: in place of an object, its outline (outline_json.hpp). Throws
/// ToolchainError.
CompileResult read_outline(const CompileSettings& settings, const std::string& text, const Toolchain& tools);

/// The program and its subcommand, with arguments for clang.
std::vector<std::string> compiler_command(const Toolchain& tools, const std::string& subcommand,
                                          const std::vector<std::string>& arguments);

}  // namespace assay::metal
