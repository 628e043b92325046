#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>

#include "harness/device/source_text.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/compile_texts.hpp"
#include "harness/metal/diagnostics.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/module.hpp"
#include "harness/metal/object_guard.hpp"
#include "harness/metal/preprocess.hpp"
#include "harness/metal/second_reader.hpp"
#include "harness/metal/settings.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

std::atomic<std::size_t> g_compiled{0};

// Which kernel of the text.
std::string what_of(const CompileSettings& settings) {
  std::string what = settings.function + (settings.saturating ? " saturating\n" : "\n");
  for (const auto& [index, literal] : settings.function_constants)
    what += fmt::format("{}={}\n", index, literal);
  return what;
}

// The name of what is made from this text in this way.
std::string object_name(const Toolchain& tools, const CompileSettings& settings, const std::string& text) {
  const auto key =
      fmt::format("{}\n{}\n{}\n{}\n{}", tools.identity, tools.stdlib.filename().string(), settings.prelude,
                  fmt::join(settings.arguments, "\n"), what_of(settings) + text);
  return content_hash(key) + ".so";
}

// Objects that are cached were read by what refuse_mixed_spaces() was then: another number, another object.
constexpr const char* kObjectRules = "\nspaces 3\n";

// The text that is compiled in place of the kernel's own for some sizes, read for its address spaces; ""
// where there is none.
std::string other_spaces(const device::KernelSource& source, const LoweringRequest& request,
                         const Toolchain& tools) {
  if (source.composed.other.empty()) return "";
  device::KernelSource other = source;
  other.composed = {.pieces = source.composed.other};
  return lower(tokenize(preprocess(other, tools), source.path.string()), request).with_spaces;
}

void refuse_other_spaces(const device::KernelSource& source, const std::string& text,
                         const Toolchain& tools) {
  try {
    refuse_mixed_spaces(text, source.path, tools);
  } catch (const CompileError& mixed) {
    const std::string place = CompileError(mixed.file(), mixed.line(), "").what();
    throw CompileError(mixed.file(), mixed.line(),
                       mixed.what() + place.size() + (": " + source.composed.when), mixed.detail());
  }
}

std::string compile_object(const device::KernelSource& source, Flavour flavour, Numerics numerics,
                           const Toolchain& tools) {
  const auto text = tokenize(preprocess(source, tools), source.path.string());
  for (const auto& file : text.files) device::remember_source(file);
  const LoweringRequest request{
      .function = source.function, .with_spaces = true, .metal_version = device::metal_version_of(source)};
  const auto lowered = lower(text, request);
  const std::string other = other_spaces(source, request, tools);
  refuse_unused_folders(source, text.files);
  const auto settings = kernel_settings(source, flavour, numerics, lowered.parts);
  // Texts that differ by address spaces alone are lowered to the same.
  const std::string name =
      object_name(tools, settings, lowered.text + kObjectRules + lowered.with_spaces + other);
  // What is cached may be from before the guard was what it is.
  if (const auto known = find_cached(tools.cache, name))
    return guarded_object(*known, lowered.text, source.path.string());

  refuse_mixed_spaces(lowered.with_spaces, source.path, tools);
  if (!other.empty()) refuse_other_spaces(source, other, tools);
  const CompiledText context{source.path.string(), tools.stdlib};
  ++g_compiled;
  auto compiled = compile_texts(settings, {lowered.text}, tools).front();
  if (compiled.object.empty()) throw_compile_error(compiled.complaint, context);
  return store_cached(tools.cache, name,
                      guarded_object(std::move(compiled.object), lowered.text, source.path.string()));
}

}  // namespace

std::shared_ptr<const KernelModule> compile(const device::KernelSource& source, Flavour flavour,
                                            const Toolchain& tools, Numerics numerics) {
  const auto object = std::make_shared<const LoadedObject>(compile_object(source, flavour, numerics, tools));
  auto module = std::make_shared<const KernelModule>(object, tools.stdlib);
  refuse_unused_constants(source, module->function_constants());
  return module;
}

std::size_t objects_compiled() { return g_compiled; }

bool same_code(const device::KernelSource& source, Numerics one, Numerics other, const Toolchain& tools) {
  return compile_object(source, Flavour::fast, one, tools) ==
         compile_object(source, Flavour::fast, other, tools);
}

}  // namespace assay::metal
