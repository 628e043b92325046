#include "harness/metal/compile/variants.hpp"

#include "harness/metal/compile/compile_texts.hpp"
#include "harness/metal/compile/diagnostics.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/object_guard.hpp"

namespace assay::metal {
namespace {

// A variant, and what it is compiled from.
struct Unit {
  CompiledVariant* variant;
  const std::string* text;
};

CompiledVariant variant_of(CompileResult compiled, const std::string& text,
                           const device::KernelSource& source, const Toolchain& tools) {
  const CompiledText context{source.path.string(), tools.stdlib};
  try {
    if (compiled.gave_up) return {nullptr, "the compiler failed: " + compiled.complaint, true, {}};
    if (compiled.object.empty()) throw_compile_error(compiled.complaint, context);
    const std::string code = guarded_object(std::move(compiled.object), text, source.path.string());
    return {std::make_shared<KernelModule>(std::make_shared<const LoadedObject>(code),
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
  struct Alike {
    LibraryParts parts;
    std::vector<Unit> units;
  };
  std::map<std::vector<std::string>, Alike> all;  // by the parts of the library that they need
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto parts = parts_named_in(tokenize(texts[i], source.path.string()), source);
    auto& alike = all.try_emplace(parts.flags(options.numerics), Alike{parts, {}}).first->second;
    alike.units.push_back({&compiled[i], &texts[i]});
  }
  for (const auto& [flags, alike] : all) {
    auto settings = kernel_settings(source, options.flavour, options.numerics, alike.parts);
    settings.places = false;
    settings.count_steps = options.count_steps;
    settings.quick = options.quick;
    settings.compared = options.compared;
    settings.unrolled = options.unrolled;
    std::vector<std::string> same;
    for (const auto& unit : alike.units) same.push_back(*unit.text);
    auto results = compile_texts(settings, same, tools);
    for (std::size_t i = 0; i < same.size(); ++i)
      *alike.units[i].variant = variant_of(std::move(results[i]), same[i], source, tools);
  }
  return compiled;
}

}  // namespace assay::metal
