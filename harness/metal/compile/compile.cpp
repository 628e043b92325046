#include <fmt/format.h>

#include <atomic>

#include "harness/device/source_text.hpp"
#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/compile_texts.hpp"
#include "harness/metal/compile/diagnostics.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/settings.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/metal/module/object_guard.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"

namespace assay::metal {
namespace {

std::atomic<std::size_t> g_compiled{0};

// The text that is compiled in place of the kernel's own for some sizes.
void refuse_other_text(const device::KernelSource& source, const Toolchain& tools) {
  if (source.composed.other.empty()) return;
  device::KernelSource other = source;
  other.composed = {.pieces = source.composed.other};
  try {
    refuse_wrong_text(preprocess(other, tools), source, tools);
  } catch (const CompileError& wrong) {
    const std::string place = CompileError(wrong.file(), wrong.line(), "").what();
    throw CompileError(wrong.file(), wrong.line(),
                       wrong.what() + place.size() + (": " + source.composed.when), wrong.detail());
  }
}

std::string compile_object(const device::KernelSource& source, Flavour flavour, Numerics numerics,
                           const Toolchain& tools) {
  const std::string text = preprocess(source, tools);
  const auto tokens = tokenize(text, source.path.string());
  for (const auto& file : tokens.files) device::remember_source(file);
  refuse_unused_folders(source, tokens.files);
  auto settings = kernel_settings(source, flavour, numerics, parts_named_in(tokens, source));
  settings.spaces = true;
  const std::string name = name_of_object(tools, settings, text) + ".so";
  refuse_other_text(source, tools);
  // What is cached may be from before the guard was what it is.
  if (const auto known = find_cached(tools.cache, name))
    return guarded_object(*known, text, source.path.string());

  ++g_compiled;
  auto compiled = compile_texts(settings, {text}, tools).front();
  if (compiled.object.empty()) throw_compile_error(compiled.complaint, {source.path.string(), tools.stdlib});
  return store_cached(tools.cache, name,
                      guarded_object(std::move(compiled.object), text, source.path.string()));
}

}  // namespace

std::shared_ptr<const KernelModule> compile(const device::KernelSource& source, Flavour flavour,
                                            const Toolchain& tools, Numerics numerics) {
  const auto object = std::make_shared<const LoadedObject>(compile_object(source, flavour, numerics, tools));
  auto module = std::make_shared<const KernelModule>(object);
  refuse_unused_constants(source, module->function_constants());
  return module;
}

std::size_t objects_compiled() { return g_compiled; }

bool same_code(const device::KernelSource& source, Numerics one, Numerics other, const Toolchain& tools) {
  return compile_object(source, Flavour::fast, one, tools) ==
         compile_object(source, Flavour::fast, other, tools);
}

}  // namespace assay::metal
