#include "harness/metal/variants.hpp"

#include "harness/metal/compile_texts.hpp"
#include "harness/metal/diagnostics.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/object_guard.hpp"

namespace assay::metal {
namespace {

LoweredKernel lowered(const device::KernelSource& source, const std::string& text) {
  return lower(tokenize(text, source.path.string()),
               {.function = source.function, .metal_version = device::metal_version_of(source)});
}

// A variant that lowering has taken.
struct Unit {
  CompiledVariant* variant;
  LoweredKernel lowered;
};

CompiledVariant variant_of(CompileResult compiled, const LoweredKernel& lowered,
                           const device::KernelSource& source, const Toolchain& tools) {
  const CompiledText context{source.path.string(), tools.stdlib};
  try {
    if (compiled.gave_up) return {nullptr, "the compiler failed: " + compiled.complaint, true, {}};
    if (compiled.object.empty()) throw_compile_error(compiled.complaint, context);
    const std::string code = guarded_object(std::move(compiled.object), lowered.text, source.path.string());
    return {std::make_shared<KernelModule>(std::make_shared<const LoadedObject>(code), tools.stdlib,
                                           ModuleOptions{.places = false}),
            "", false, code};
  } catch (const SourceError& refused) {
    return {nullptr, refused.what(), false, {}};
  }
}

}  // namespace

std::vector<CompiledVariant> compile_variants(const device::KernelSource& source,
                                              const std::vector<std::string>& texts, VariantOptions options,
                                              const Toolchain& tools) {
  std::vector<CompiledVariant> compiled(texts.size());
  std::map<std::vector<std::string>, std::vector<Unit>> alike;  // by the parts of the library that they need
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      Unit unit{&compiled[i], lowered(source, texts[i])};
      alike[unit.lowered.parts.flags(options.numerics)].push_back(std::move(unit));
    } catch (const SourceError& refused) {
      compiled[i].error = refused.what();
    }
  }
  for (const auto& [parts, units] : alike) {
    auto settings = kernel_settings(source, options.flavour, options.numerics, units[0].lowered.parts);
    settings.places = false;
    settings.count_steps = options.count_steps;
    settings.quick = options.quick;
    settings.compared = options.compared;
    std::vector<std::string> lowered_texts;
    for (const auto& unit : units) lowered_texts.push_back(unit.lowered.text);
    auto results = compile_texts(settings, lowered_texts, tools);
    for (std::size_t i = 0; i < units.size(); ++i)
      *units[i].variant = variant_of(std::move(results[i]), units[i].lowered, source, tools);
  }
  return compiled;
}

}  // namespace assay::metal
