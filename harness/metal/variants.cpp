#include "harness/metal/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "harness/metal/assembly.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/call_graph.hpp"
#include "harness/metal/constant_ranges.hpp"
#include "harness/metal/diagnostics.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/object_guard.hpp"
#include "harness/metal/prelude.hpp"
#include "harness/metal/process.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlacePrefix = "assay-variant-";

/// What the loader looks up of each variant.
constexpr std::array kVariantSymbols = {"assay_kernel_entry", "assay_kernel_parameters", "assay_slot_names"};

struct Unit {
  std::size_t index = 0;  // among the texts; its number as a variant is one more
  LoweredKernel lowered;
};

// Line markers name the variant, so that what the compiler says of one can be told from another.
std::string with_marked_places(const std::string& text, unsigned variant) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line); out += '\n') {
    const auto quote = line.find('"');
    if (line.starts_with("# ") && quote != std::string::npos) {
      line.insert(quote + 1, fmt::format("{}{}/", kPlacePrefix, variant));
    }
    out += line;
  }
  return out;
}

// A variant in its namespace. What lowering writes into every kernel finds the variant's own: the symbols
// that the loader looks up by macros, the records of threadgroup memory by the functions of the inner scope.
std::string in_namespace(const Unit& unit) {
  const auto variant = static_cast<unsigned>(unit.index + 1);
  std::string text;
  for (const char* symbol : kVariantSymbols) {
    text += fmt::format("#undef {0}\n#define {0} {0}{1}\n", symbol, variant_suffix(variant));
  }
  text += fmt::format(
      "#undef ASSAY_ROOT\n#define ASSAY_ROOT ::assay_variant_{0}\n"
      "# 1 \"{1}{0}/\"\n"
      "namespace assay_variant_{0} {{\n"
      "template <int Slot, class T> inline __attribute__((always_inline)) T& assay_slot() {{\n"
      "  return ::assay_slot<Slot, T, {0}>();\n}}\n"
      "namespace assay_entry {{\nusing namespace ::assay_entry;\n"
      "template <int N> inline __attribute__((always_inline)) void limit_threads() {{\n"
      "  ::assay_entry::limit_threads<N, {0}>();\n}}\n}}\n",
      variant, kPlacePrefix);
  return text + with_marked_places(unit.lowered.text, variant) + "\n}\n";
}

// The variants that the compiler's errors speak of, with the first thing it says of each.
std::map<unsigned, std::string> blamed(const std::string& output) {
  static const std::regex kVariant(std::string(kPlacePrefix) + "([0-9]+)/");
  std::map<unsigned, std::string> found;
  std::istringstream lines(output);
  std::set<unsigned> context;  // named on the way to the next error
  for (std::string line; std::getline(lines, line);) {
    const bool error = line.find("error: ") != std::string::npos;
    const bool note = line.find("note: ") != std::string::npos;
    if (!note) {
      for (std::sregex_iterator it(line.begin(), line.end(), kVariant), end; it != end; ++it) {
        context.insert(static_cast<unsigned>(std::stoul((*it)[1].str())));
      }
    }
    if (!error) continue;
    const std::string message = line.substr(line.find("error: ") + 7);
    for (const unsigned variant : context) found.try_emplace(variant, message);
    context.clear();
  }
  return found;
}

// Twice as quick to compile as -O3, and hardly slower to run: what is worth vectors is written in vectors.
// The compiler's own memory is not worth collecting: a process compiles one batch. What looks at a whole unit
// (clones for constant arguments and inlining, up to a share of the unit; functions that are the same) would
// make the code of a variant hang on the others.
std::vector<std::string> variant_flags(Flavour flavour, Numerics numerics) {
  auto flags = compile_flags(flavour, numerics);
  std::replace(flags.begin(), flags.end(), std::string("-O3"), std::string("-O2"));
  std::replace(flags.begin(), flags.end(), std::string("-g1"), std::string("-g0"));
  std::erase(flags, "-gdwarf-4");
  flags.insert(flags.end(), {"-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-ipa-cp", "-fno-ipa-icf",
                             "--param", "inline-unit-growth=1000000", "--param", "ggc-min-heapsize=1048576"});
  return flags;
}

std::vector<std::string> roots_of(unsigned variant) {
  std::vector<std::string> roots;
  roots.reserve(kVariantSymbols.size());
  for (const char* symbol : kVariantSymbols) roots.push_back(symbol + variant_suffix(variant));
  return roots;
}

// What the compiler has made of a variant, the same for all that are the same.
std::string code_of(const Assembly& assembly, unsigned variant) {
  auto code = assembly.canonical(roots_of(variant));
  const auto place = fmt::format("{}{}/", kPlacePrefix, variant);
  for (auto at = code.find(place); at != std::string::npos; at = code.find(place, at))
    code.erase(at, place.size());
  return code;
}

class Batch {
 public:
  Batch(VariantOptions options, const Toolchain& tools, std::vector<CompiledVariant>& out)
      : options_(options), tools_(tools), out_(out) {}

  void compile(std::vector<Unit> units) {
    while (!units.empty()) {
      const auto failed = attempt(units);
      if (!failed) return;
      const auto named = blamed(*failed);
      const auto before = units.size();
      std::erase_if(units, [&](const Unit& unit) {
        const auto found = named.find(static_cast<unsigned>(unit.index + 1));
        if (found != named.end()) out_[unit.index].error = found->second;
        return found != named.end();
      });
      if (units.size() < before) continue;
      if (units.size() == 1) {
        auto& out = out_[units[0].index];
        out.error = "the compiler failed: " + failed->substr(0, failed->find('\n'));
        out.gave_up = true;
        return;
      }
      // Nobody is named (the assembler or the compiler itself gave up): the halves by themselves.
      const auto middle = units.begin() + static_cast<std::ptrdiff_t>(units.size() / 2);
      compile({units.begin(), middle});
      units.erase(units.begin(), middle);
    }
  }

 private:
  // What the compiler said, or nothing when the modules are there.
  std::optional<std::string> attempt(const std::vector<Unit>& units) {
    auto flags = variant_flags(options_.flavour, options_.numerics);
    LibraryParts needed;
    for (const auto& unit : units) needed |= unit.lowered.parts;
    const auto parts = needed.flags();
    flags.insert(flags.end(), parts.begin(), parts.end());
    std::string text;
    for (const auto& unit : units) text += in_namespace(unit);
    const ScratchDirectory scratch(tools_.cache);
    const fs::path cpp = scratch / "variants.cpp", listing = scratch / "variants.s",
                   unlinked = scratch / "variants.o", linked = scratch / "variants.so";
    write_atomically(cpp, text);
    std::vector<std::string> argv = {tools_.compiler};
    argv.insert(argv.end(), flags.begin(), flags.end());
    const auto prelude = include_prelude(options_.flavour, flags, tools_);
    argv.insert(argv.end(), prelude.begin(), prelude.end());
    argv.insert(argv.end(), {"-I", tools_.stdlib.string(), "-S", cpp.string(), "-o", listing.string()});
    const auto compiled =
        run_compiler(tools_, argv, scratch.path(), prelude_files(prelude), scratch.path().string());
    if (compiled.exit_code != 0) return complaint(compiled);
    const auto fault = call_fault(content_of(scratch / "variants.ci"), content_of(listing));
    if (fault) return fmt::format("{}:{}: error: {}", fault->file, fault->line, fault->message);
    if (options_.flavour != Flavour::fast)
      write_atomically(listing, with_room_between_constants(content_of(listing)));
    const auto assembled =
        run_compiler(tools_, assemble_command(tools_, flags, listing, unlinked), scratch.path());
    if (assembled.exit_code != 0) return complaint(assembled);
    const std::string object = content_of(unlinked);
    for (const auto& unit : units) {
      for (const auto& constant : unit.lowered.undefined_constants) {
        if (object.find(constant.symbol() + '\0') != std::string::npos) {
          return "a function constant without a value is used";
        }
      }
    }
    const auto link = run_compiler(tools_, link_command(tools_, unlinked, linked), scratch.path());
    if (link.exit_code != 0) return complaint(link);
    std::string bytes = content_of(linked);
    if (const auto odd = object_fault(bytes)) return odd->symbol + ": " + odd->message;
    const auto loaded = std::make_shared<const LoadedObject>(std::move(bytes));
    const KernelModule* sibling = nullptr;
    const std::string written = content_of(listing);
    const Assembly assembly(written);
    for (const auto& unit : units) {
      const auto variant = static_cast<unsigned>(unit.index + 1);
      if (options_.flavour == Flavour::fast) out_[unit.index].code = code_of(assembly, variant);
      auto& module = out_[unit.index].module;
      module = std::make_shared<KernelModule>(
          loaded, tools_.stdlib,
          ModuleOptions{variant, false, sibling, assembly.names_outside(roots_of(variant))});
      sibling = module.get();
    }
    return std::nullopt;
  }

  VariantOptions options_;
  const Toolchain& tools_;
  std::vector<CompiledVariant>& out_;
};

LoweredKernel lowered(const device::KernelSource& source, const std::string& text, VariantOptions options) {
  return lower(tokenize(text, source.path.string()), {.function = source.function,
                                                      .function_constants = source.function_constants,
                                                      .numerics = options.numerics,
                                                      .count_steps = options.count_steps,
                                                      .checked = options.flavour != Flavour::fast,
                                                      .saturating = source.saturating_conversions,
                                                      .metal_version = device::metal_version_of(source)});
}

}  // namespace

std::vector<CompiledVariant> compile_variants(const device::KernelSource& source,
                                              const std::vector<std::string>& texts, VariantOptions options,
                                              const Toolchain& tools) {
  std::vector<CompiledVariant> compiled(texts.size());
  std::vector<Unit> plain, distributed;  // one setting of ASSAY_DISTRIBUTED_MATRICES an object
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      Unit unit{i, lowered(source, texts[i], options)};
      auto& units = unit.lowered.parts.distributed_matrices ? distributed : plain;
      units.push_back(std::move(unit));
    } catch (const SourceError& refused) {
      compiled[i].error = refused.what();
    }
  }
  Batch batch(options, tools, compiled);
  batch.compile(std::move(plain));
  batch.compile(std::move(distributed));
  return compiled;
}

std::string object_code(const device::KernelSource& source, const std::string& text, Numerics numerics,
                        const Toolchain& tools) {
  const auto kernel = lowered(source, text, {Flavour::fast, numerics});
  auto flags = compile_flags(Flavour::fast, numerics);  // -O3 finds more to be the same than -O2
  const auto parts = kernel.parts.flags();
  flags.insert(flags.end(), parts.begin(), parts.end());
  const ScratchDirectory scratch(tools.cache);
  const fs::path cpp = scratch / "kernel.cpp", object = scratch / "kernel.o";
  write_atomically(cpp, kernel.text);
  std::vector<std::string> argv = {tools.compiler};
  argv.insert(argv.end(), flags.begin(), flags.end());
  const auto prelude = include_prelude(Flavour::fast, flags, tools);
  argv.insert(argv.end(), prelude.begin(), prelude.end());
  argv.insert(argv.end(), {"-I", tools.stdlib.string(), "-c", "kernel.cpp", "-o", "kernel.o"});
  const auto compiled =
      run_compiler(tools, argv, scratch.path(), prelude_files(prelude), scratch.path().string());
  if (compiled.exit_code != 0) {
    throw_compile_error(complaint(compiled),
                        {source.path.string(), tools.stdlib, kernel.undefined_constants});
  }
  return content_of(object);
}

}  // namespace assay::metal
