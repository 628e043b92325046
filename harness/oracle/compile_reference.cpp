#include "harness/oracle/compile_reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/source_text.hpp"
#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/compile_texts.hpp"
#include "harness/metal/compile/diagnostics.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/metal/module/object_guard.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::oracle {
namespace {

namespace fs = std::filesystem;

std::string_view element_of(const StatedTensor& tensor) {
  switch (tensor.dtype) {
    case DType::f16:
      return "HalfElement";
    case DType::bf16:
      return "BfloatElement";
    case DType::f32:
      return "FloatElement";
    case DType::u8:
      return "WholeElement<unsigned char>";
    case DType::i8:
      return "WholeElement<signed char>";
    case DType::u16:
      return "WholeElement<unsigned short>";
    case DType::i16:
      return "WholeElement<short>";
    case DType::u32:
      return "WholeElement<unsigned>";
    case DType::i32:
    case DType::f64:
      break;
  }
  return "WholeElement<int>";
}

/// The text inside of a class that has the dimensions and tensors as members.
std::string class_around(const StatedOperation& stated, const std::string& text) {
  std::string members;
  std::vector<std::string> initialisers;
  for (std::size_t i = 0; i < stated.dimensions.size(); ++i) {
    members += fmt::format("const Index {};\n", stated.dimensions[i].name);
    initialisers.push_back(fmt::format("{}(call.dimensions[{}])", stated.dimensions[i].name, i));
  }
  for (std::size_t i = 0; i < stated.tensors.size(); ++i) {
    const StatedTensor& tensor = stated.tensors[i];
    const auto* kind = tensor.access == StatedTensor::Access::in    ? "Input"
                       : tensor.access == StatedTensor::Access::out ? "Output"
                                                                    : "Changed";
    members += fmt::format("const {}<{}> {};\n", kind, element_of(tensor), tensor.name);
    initialisers.push_back(fmt::format("{}(call.tensors[{}])", tensor.name, i));
  }
  return fmt::format(
      "# 1 \"reference\"\nnamespace assay_reference {{ namespace {{\nstruct AssayOperation {{\n{}"
      "explicit AssayOperation(const Call& call) : {} {{}}\n{}\n# 1 \"reference\"\n}};\n}} }}\n"
      "ASSAY_REFERENCE_ENTRY(const assay_reference::Call* call) {{\n  assay_reference::AssayOperation "
      "operation(*call);\n"
      "  if (call->fills) assay_reference::fill_with(operation, *call, 0); else "
      "operation.reference();\n}}\n",
      members, fmt::join(initialisers, ", "), text);
}

metal::CompileSettings settings_of(const ReferenceMath& math, const metal::Toolchain& tools) {
  metal::CompileSettings settings{
      "reference",
      {"-x", "c++", "-std=gnu++20", "-O2", "-disable-llvm-passes", "-mrelocation-model", "pic", "-pic-level",
       "2", "-ffp-contract=off", "-ffloat16-excess-precision=none", "-fwrapv", "-relaxed-aliasing",
       "-fno-delete-null-pointer-checks", "-fno-rtti", "-fno-finite-loops", "-fno-threadsafe-statics",
       "-fstack-clash-protection", "-fvisibility=hidden", "-debug-info-kind=line-tables-only",
       "-dwarf-version=4", "-nostdsysteminc", "-nobuiltininc", "-w", "-ferror-limit", "20",
       // What goes past an array of its own ends there, and not in whatever the values behind the array lead
       // to.
       "-fsanitize=array-bounds", "-fsanitize-trap=array-bounds", "-include",
       (tools.stdlib / "assay/reference/reference.h").string()},
      ""};
  auto& arguments = settings.arguments;
  if (math.half_sums) arguments.push_back("-DASSAY_HALF_SUMS=1");
  if (math.precise) arguments.push_back("-DASSAY_PRECISE=1");
  if (math.flushed) arguments.push_back("-DASSAY_FLUSHED=1");
  return settings;
}

/// Throws where the text has no function that says what is right.
void refuse_without_reference(const metal::TokenText& text, const std::string& file) {
  bool named = false;
  for (const auto& token : text.tokens) {
    if (named && token.is("(")) return;
    if (token.significant()) named = token.is("reference");
  }
  throw metal::CompileError(
      file, 0, "defines no function `void reference()`; it assigns what is right to each output");
}

/// Preprocessed text in which files of the folder have names without it: the same text in another folder is
/// the same object then.
std::string without_folder(const std::string& preprocessed, const fs::path& folder) {
  if (folder.empty()) return preprocessed;
  const std::string there = "\"" + folder.string() + "/";
  std::string text;
  text.reserve(preprocessed.size());
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size() - 1) + 1;
    std::string_view line = std::string_view(preprocessed).substr(at, end - at);
    at = end;
    const std::size_t name = line.find(there);
    if (!line.starts_with("# ") || name == line.npos) {
      text += line;
      continue;
    }
    text += line.substr(0, name + 1);
    text += line.substr(name + there.size());
  }
  return text;
}

}  // namespace

std::string compile_reference(const StatedOperation& stated, const ReferenceMath& math,
                              const metal::Toolchain& tools) {
  const std::string file = stated.reference.string();
  const device::KernelSource source{stated.reference, "", {}, {}, {}};
  const std::string preprocessed = metal::preprocess(source, tools);
  const auto tokens = metal::tokenize(preprocessed, file);
  for (const auto& one : tokens.files) device::remember_source(one);
  refuse_without_reference(tokens, stated.called());
  const std::string text = class_around(stated, without_folder(preprocessed, stated.reference.parent_path()));
  const auto settings = settings_of(math, tools);
  const std::string name = metal::content_hash(fmt::format("reference\n{}\n{}\n{}", tools.identity,
                                                           fmt::join(settings.arguments, "\n"), text)) +
                           ".so";
  if (const auto known = metal::find_cached(tools.cache, name))
    return metal::guarded_object(*known, text, file);

  const auto compile = [&](const std::string& unit) {
    return metal::compile_texts(settings, {unit}, tools).front();
  };
  auto compiled = compile(text);
  if (compiled.object.empty())  // once more, so that places in the complaint have their folder
    metal::throw_compile_error(compile(class_around(stated, preprocessed)).complaint, {file, tools.stdlib});
  return metal::store_cached(tools.cache, name,
                             metal::guarded_object(std::move(compiled.object), text, file));
}

}  // namespace assay::oracle
