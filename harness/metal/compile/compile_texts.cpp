#include "harness/metal/compile/compile_texts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/module/module.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::string> arguments_of(Flavour flavour, Numerics numerics) {
  std::vector<std::string> all = {
      "-x", "c++", "-std=gnu++17", "-Ulinux", "-Uunix", "-nostdsysteminc", "-nobuiltininc", "-fno-rtti",
      // The passes over IR (harness/metal/ir) optimise; this marks what they may.
      "-O2", "-disable-llvm-passes", "-mrelocation-model", "pic", "-pic-level", "2",
      // Components of vectors are properties (stdlib/metal/swizzle.h).
      "-fdeclspec",
      // Metal has no double.
      "-cl-single-precision-constant",
      // Each operation on halves rounds.
      "-ffloat16-excess-precision=none",
      // What Metal programs do and C++ leaves undefined; the rest is defined by a pass (ir/undefined.hpp),
      // and what types say of aliases is taken out again (ir/compile.cpp).
      "-fno-delete-null-pointer-checks", "-fno-finite-loops",
      // What nobody has given a value holds the same in all flavours, so that no text can tell them apart.
      "-ftrivial-auto-var-init=pattern",
      // A frame that is larger than what is left of a stack meets the page that guards it, not another stack.
      "-fstack-clash-protection", "-fvisibility=hidden",
      // Variables have their names where they are watched.
      flavour == Flavour::watched ? "-debug-info-kind=constructor" : "-debug-info-kind=line-tables-only",
      "-dwarf-version=4", "-fno-threadsafe-statics", "-Wno-everything",
      // What is read ahead has the hash of its text for a name.
      "-fno-validate-pch", "-ferror-limit", "0", "-fno-spell-checking"};
  switch (numerics) {
    case Numerics::strict:
    case Numerics::approximate:  // of a text that asks for nothing of it, the same as strict
      add(all, {"-ffp-contract=off"});
      break;
    case Numerics::contracted:
      // By LLVM, where the processor has the instruction, and by a pass (ir/contract.hpp).
      add(all, {"-ffp-contract=fast", "-DASSAY_CONTRACTED=1"});
      break;
    case Numerics::reassociated:
      // Infinities and NaN keep their meaning, as under Metal's math_mode(relaxed): cases have them, and
      // math_mode(fast) promises nothing of those.
      add(all, {"-ffp-contract=off", "-mreassociate", "-fno-signed-zeros", "-DASSAY_REASSOCIATED=1"});
      break;
    case Numerics::relaxed:
      // As Metal's math_mode(relaxed), which keeps infinities and NaN too.
      add(all, {"-ffp-contract=fast", "-mreassociate", "-freciprocal-math", "-fno-signed-zeros",
                "-DASSAY_REASSOCIATED=1"});
      break;
    case Numerics::flushed:
      // Floats are flushed by the processor, while the kernel runs (harness/simulator/flushing.hpp).
      add(all, {"-ffp-contract=off", "-DASSAY_FLUSHED=1"});
      break;
  }
  if (flavour == Flavour::fast) {
    // What no type of integers holds, and shifts by the width, end the lane.
    add(all, {"-fwrapv", "-DASSAY_INLINE_SWITCH=1", "-fsanitize=shift-exponent,float-cast-overflow",
              "-fsanitize-trap=shift-exponent,float-cast-overflow"});
  } else {
    // An array of one element is how translated shaders declare the last member of a buffer, which goes on
    // for as long as that: the bounds of the buffer hold.
    add(all, {"-fstrict-flex-arrays=1"});
    add(all, {"-DASSAY_CHECKED=1", "-fsanitize=alignment,array-bounds,shift-exponent,float-cast-overflow",
              "-fsanitize-recover=alignment,array-bounds,shift-exponent,float-cast-overflow"});
  }
  return all;
}

const char* kind_of(Flavour flavour) {
  switch (flavour) {
    case Flavour::fast:
      return "fast";
    case Flavour::checked:
      return "checked";
    case Flavour::watched:
      return "watched";
  }
  return "?";
}

// Tensors are Metal 4's: who has them has lambdas, too.
constexpr unsigned kFirstWithLambdas = 400;

// Metal 3.2: without coherent(device), memory is coherent within a threadgroup alone.
constexpr unsigned kFirstWithCoherence = 320;

constexpr const char* kPrelude =
    "#include \"assay/metal.h\"\n#include \"assay/entry.h\"\n#include \"assay/words.h\"\n";

// Behind a kernel's text: its last declaration is read when clang comes to where the kernel is looked for.
constexpr const char* kBehind = "\nnamespace assay_entry {}\n#pragma assay_entry\n";

// The headers that stand ahead of every text, read once for each set of arguments: reading them takes longer
// than most kernels do.
fs::path precompiled(const CompileSettings& settings, const Toolchain& tools) {
  const auto key = content_hash(fmt::format("{}\n{}\n{}\n{}", tools.identity, tools.stdlib.string(),
                                            fmt::join(settings.arguments, "\n"), settings.prelude));
  const auto name = fmt::format("prelude-{}.h", key);
  const fs::path header = tools.cache / name, made = header.string() + ".pch";
  if (content_of(header) != settings.prelude)
    write_atomically(header, settings.prelude, scratch_root(tools.cache));
  if (find_cached(tools.cache, name + ".pch")) return made;
  const ScratchDirectory scratch(tools.cache);
  auto arguments = settings.arguments;
  std::replace(arguments.begin(), arguments.end(), std::string("c++"), std::string("c++-header"));
  add(arguments, {"-I", tools.stdlib.string()});
  auto argv = compiler_command(tools, "header", arguments);
  add(argv, {"--library", tools.stdlib.string(), "-o", (scratch / "prelude.pch").string(), header.string()});
  const auto done = run_compiler(tools, argv, scratch.path(), {header});
  if (done.exit_code != 0) throw ToolchainError("cannot read the stand-in headers: " + complaint(done));
  store_cached(tools.cache, name + ".pch", content_of(scratch / "prelude.pch"));
  return made;
}

}  // namespace

CompileSettings kernel_settings(const device::KernelSource& source, Flavour flavour, Numerics numerics,
                                const LibraryParts& parts) {
  CompileSettings settings{kind_of(flavour), arguments_of(flavour, numerics), kPrelude, source.function,
                           source.function_constants};
  add(settings.arguments, parts.flags(numerics));
  const bool same = numerics == Numerics::approximate && !parts.granted;
  settings.numerics = same ? Numerics::strict : numerics;
  settings.saturating = source.saturating_conversions;
  settings.lambdas = parts.metal_version >= kFirstWithLambdas || parts.tensors;
  settings.all_coherent = parts.metal_version < kFirstWithCoherence;
  return settings;
}

std::vector<std::string> compiler_command(const Toolchain& tools, const std::string& subcommand,
                                          const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {tools.compiler, subcommand};
  for (const auto& one : arguments) argv.push_back("--cc1=" + one);
  return argv;
}

namespace {

// What a text is read with: a folder of its own, and options.
class Reading {
 public:
  Reading(const CompileSettings& settings, const Toolchain& tools) : tools_(tools), scratch_(tools.cache) {
    arguments_ = settings.arguments;
    // Relative names of the kernel's files stay relative in the object, wherever it is used later.
    const auto named = [&](const std::string& folder, const char* name) {
      arguments_.push_back("-fdebug-prefix-map=" + folder + "=" + name);
    };
    named(here(), kRelativePlaces);
    named(tools.stdlib.string(), kLibraryPlaces);
    add(arguments_, {"-I", tools.stdlib.string(), "-fdebug-compilation-dir=" + here()});
    if (!settings.prelude.empty()) include_prelude(settings);
    options_ = {"--library", tools.stdlib.string()};
    if (!settings.lambdas) options_.emplace_back("--no-lambdas");
    if (settings.all_coherent) options_.emplace_back("--all-coherent");
    if (settings.spaces) options_.emplace_back("--spaces");
    if (settings.lists) options_.emplace_back("--lists");
    if (settings.syntax) options_.emplace_back("--syntax");
    if (!settings.function.empty()) options_.push_back("--function=" + settings.function);
    for (const auto& [index, literal] : settings.function_constants)
      options_.push_back(fmt::format("--constant={}={}", index, literal));
  }

  std::string write(const CompileSettings& settings, const std::string& text) {
    const auto file = (scratch_.path() / fmt::format("kernel{}.cpp", written_++)).string();
    write_atomically(file,
                     settings.function.empty() && !settings.lists ? text : text + kBehind + settings.macros);
    return file;
  }

  ProcessResult run(const std::string& subcommand, const std::vector<std::string>& more) const {
    auto argv = compiler_command(tools_, subcommand, arguments_);
    add(argv, options_);
    add(argv, more);
    return run_compiler(tools_, argv, scratch_.path(), {}, here());
  }

 private:
  std::string here() const { return scratch_.path().string(); }

  void include_prelude(const CompileSettings& settings) {
    // Of its own, since who finds the one in the cache damaged puts another in its place.
    const fs::path prelude = scratch_ / "prelude.pch";
    const fs::path shared = precompiled(settings, tools_);
    std::error_code no_links;
    fs::create_hard_link(shared, prelude, no_links);
    if (no_links) write_atomically(prelude, content_of(shared));
    add(arguments_, {"-include-pch", prelude.string()});
  }

  const Toolchain& tools_;
  const ScratchDirectory scratch_;
  std::vector<std::string> arguments_, options_;
  unsigned written_ = 0;
};

// Which kernel of the text, and how it is read.
std::string what_of(const CompileSettings& settings) {
  std::string what = settings.function;
  for (const bool flag : {settings.saturating, settings.all_coherent, settings.spaces, settings.lambdas,
                          settings.lists, settings.syntax})
    what += flag ? " 1" : " 0";
  for (const auto& [index, literal] : settings.function_constants)
    what += fmt::format("\n{}={}", index, literal);
  return what + "\n" + settings.macros + "\n";
}

}  // namespace

std::string name_of_object(const Toolchain& tools, const CompileSettings& settings, const std::string& text) {
  return content_hash(fmt::format("{}\n{}\n{}\n{}\n{}", tools.identity, tools.stdlib.filename().string(),
                                  settings.prelude, fmt::join(settings.arguments, "\n"),
                                  what_of(settings) + text));
}

std::vector<CompileResult> compile_texts(const CompileSettings& settings,
                                         const std::vector<std::string>& texts, const Toolchain& tools) {
  if (texts.empty()) return {};
  Reading reading(settings, tools);
  std::vector<std::string> options = {"--kind", settings.kind, "--numerics",
                                      std::string(name_of(settings.numerics))};
  if (settings.saturating) options.emplace_back("--saturating");
  if (settings.quick) options.emplace_back("--quick");
  if (settings.compared) options.emplace_back("--compared");
  if (settings.unrolled) options.emplace_back("--unrolled");
  if (settings.count_steps) options.emplace_back("--count-steps");
  if (!settings.places) options.emplace_back("--no-places");
  std::vector<std::string> files;
  for (const auto& text : texts) files.push_back(reading.write(settings, text));
  add(options, files);
  const auto run = reading.run("object", options);
  std::vector<CompileResult> compiled;
  for (const auto& file : files) {
    CompileResult one{content_of(file + ".so"), content_of(file + ".err")};
    if (!one.complaint.empty()) one.object.clear();
    one.gave_up = one.object.empty() && one.complaint.empty();
    if (one.gave_up) one.complaint = complaint(run);
    compiled.push_back(std::move(one));
  }
  return compiled;
}

CompileResult read_outline(const CompileSettings& settings, const std::string& text, const Toolchain& tools) {
  Reading reading(settings, tools);
  const auto run = reading.run("outline", {reading.write(settings, text)});
  if (run.exit_code == 0) return {run.out, ""};
  return {"", complaint(run)};
}

}  // namespace assay::metal
