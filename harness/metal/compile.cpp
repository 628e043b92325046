#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <regex>

#include "harness/device/source_text.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/call_graph.hpp"
#include "harness/metal/clang_arguments.hpp"
#include "harness/metal/constant_ranges.hpp"
#include "harness/metal/diagnostics.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/module.hpp"
#include "harness/metal/object_guard.hpp"
#include "harness/metal/prelude.hpp"
#include "harness/metal/preprocess.hpp"
#include "harness/metal/process.hpp"
#include "harness/metal/second_reader.hpp"
#include "harness/metal/settings.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

std::atomic<std::size_t> g_compiled{0};

// The name of what is made from this text in this way.
std::string object_name(const Toolchain& tools, const std::vector<std::string>& flags,
                        const std::string& text) {
  const auto key = fmt::format("{}\n{}\n{}\n{}", tools.identity, tools.stdlib.filename().string(),
                               fmt::join(flags, "\n"), text);
  return content_hash(key) + ".so";
}

// Objects that are cached were read by what refuse_mixed_spaces() was then, and have their constants where
// those were then: another number, another object.
constexpr const char* kObjectRules = "\nspaces 2, room 2\n";

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

// Where g++ would not choose between a bfloat and another number: a bfloat converts either way there, and in
// Metal it becomes the other.
Places mixed_conditionals(const std::string& output) {
  static const std::regex kMixed(
      R"((?:^|\n)(.+?):(\d+):\d+: error: (?:operands to '\?:' have different types|conditional expression is ambiguous;) (.*bfloat.*))");
  Places found;
  for (std::sregex_iterator at(output.begin(), output.end(), kMixed), end; at != end; ++at)
    found.emplace((*at)[1], static_cast<std::uint32_t>(std::stoul((*at)[2])));
  return found;
}

// With those that are known; nothing where the compiler names no others.
std::optional<Places> more_conditionals(const std::string& output, const Places& known) {
  Places mixed = mixed_conditionals(output);
  mixed.insert(known.begin(), known.end());
  return mixed != known ? std::optional(mixed) : std::nullopt;
}

std::string compile_object(const device::KernelSource& source, Flavour flavour, Numerics numerics,
                           const Toolchain& tools, bool lines = false, const Places& conditionals = {});

// Compiled in one process, from the text to the object.
std::string compile_with_clang(const device::KernelSource& source, const LoweredKernel& lowered,
                               Flavour flavour, Numerics numerics, const Toolchain& tools,
                               const Places& conditionals) {
  const CompiledText context{source.path.string(), tools.stdlib, lowered.undefined_constants};
  const ScratchDirectory scratch(tools.cache);
  const fs::path cpp = scratch / "kernel.cpp", linked = scratch / "kernel.so";
  write_atomically(cpp, lowered.text);
  std::vector<std::string> arguments = clang_arguments(flavour, numerics);
  for (const auto& flag : lowered.parts.flags())
    if (flag != "-fno-coroutines") arguments.push_back(flag);  // which clang has none of, unless it is asked
  arguments.insert(arguments.end(), {"-I", tools.stdlib.string()});
  arguments.push_back("-fdebug-prefix-map=" + scratch.path().string() + "=" + kRelativePlaces);
  arguments.push_back("-fdebug-compilation-dir=" + scratch.path().string());
  // Of its own, since who finds the one in the cache damaged puts another in its place.
  const fs::path prelude = scratch / "prelude.pch";
  fs::create_hard_link(clang_prelude(flavour, arguments, tools), prelude);
  arguments.insert(arguments.end(), {"-include-pch", prelude.string()});
  ++g_compiled;
  const auto compiled =
      run_compiler(tools, clang_command(tools, arguments, cpp, linked, flavour != Flavour::fast),
                   scratch.path(), {}, scratch.path().string());
  if (compiled.exit_code != 0) {
    if (auto mixed = more_conditionals(complaint(compiled), conditionals))
      return compile_object(source, flavour, numerics, tools, false, *mixed);
    throw_compile_error(complaint(compiled), context);
  }
  const std::string object = content_of(linked);
  check_constants(object, context);
  return guarded_object(object, lowered.text, source.path.string());
}

std::string compile_object(const device::KernelSource& source, Flavour flavour, Numerics numerics,
                           const Toolchain& tools, bool lines, const Places& conditionals) {
  const auto text = tokenize(preprocess(source, tools), source.path.string());
  for (const auto& file : text.files) device::remember_source(file);
  const LoweringRequest request{.function = source.function,
                                .function_constants = source.function_constants,
                                .numerics = numerics,
                                .checked = flavour != Flavour::fast,
                                .watched = flavour == Flavour::watched,
                                .saturating = source.saturating_conversions,
                                .with_spaces = true,
                                .metal_version = device::metal_version_of(source),
                                .mixed_conditionals = conditionals};
  const auto lowered = lower(text, request);
  const std::string other = other_spaces(source, request, tools);
  refuse_unused(source, text.files, lowered.function_constants);
  auto flags = compile_flags(flavour, numerics);
  if (lines) flags.insert(flags.end(), {"-g1", "-gdwarf-4"});  // changes nothing of the code
  const auto parts = lowered.parts.flags();
  flags.insert(flags.end(), parts.begin(), parts.end());
  // Texts that differ by address spaces alone are lowered to the same.
  const std::string name = object_name(
      tools, flags, prelude_text(flavour) + lowered.text + kObjectRules + lowered.with_spaces + other);
  // What is cached may be from before the guard was what it is.
  if (const auto known = find_cached(tools.cache, name))
    return guarded_object(*known, lowered.text, source.path.string());

  refuse_mixed_spaces(lowered.with_spaces, source.path, tools);
  if (!other.empty()) refuse_other_spaces(source, other, tools);
  if (!tools.clang.empty()) {
    return store_cached(tools.cache, name,
                        compile_with_clang(source, lowered, flavour, numerics, tools, conditionals));
  }
  const CompiledText context{source.path.string(), tools.stdlib, lowered.undefined_constants};
  const ScratchDirectory scratch(tools.cache);
  const fs::path cpp = scratch / "kernel.cpp", listing = scratch / "kernel.s",
                 unlinked = scratch / "kernel.o", linked = scratch / "kernel.so";
  write_atomically(cpp, lowered.text);
  // Relative names of the kernel's files stay relative in the line table, wherever the object is used later.
  const std::string here = cpp.parent_path().string();
  const auto compile_with = [&] {
    std::vector<std::string> argv = {tools.compiler};
    argv.insert(argv.end(), flags.begin(), flags.end());
    const auto prelude = include_prelude(flavour, flags, tools);
    argv.insert(argv.end(), prelude.begin(), prelude.end());
    // The sanitizers' passes are wanted, their libraries are not: compile, then link without the flags.
    argv.insert(argv.end(), {"-I", tools.stdlib.string(), "-S", cpp.string(), "-o", listing.string()});
    argv.push_back("-fdebug-prefix-map=" + here + "=" + kRelativePlaces);
    ++g_compiled;
    return run_compiler(tools, argv, scratch.path(), prelude_files(prelude), here);
  };
  auto compiled = compile_with();
  // clang takes a constexpr function that calls another one which is not, where nobody asks for its value
  // early. g++ 12 does so where it may take the other for constexpr too, which C++20 allows for more of them.
  if (compiled.exit_code != 0 &&
      complaint(compiled).find("call to non-'constexpr' function") != std::string::npos) {
    flags.insert(flags.end(), {"-std=gnu++20", "-fno-char8_t", "-fno-coroutines", "-fimplicit-constexpr"});
    compiled = compile_with();
  }
  if (compiled.exit_code != 0) {
    if (auto mixed = more_conditionals(complaint(compiled), conditionals))
      return compile_object(source, flavour, numerics, tools, lines, *mixed);
    throw_compile_error(complaint(compiled), context);
  }
  const std::string assembly = content_of(listing);
  refuse_calls(content_of(scratch / "kernel.ci"), assembly, tools.stdlib, source.path.string());
  write_atomically(listing, with_room_between_constants(assembly));
  const auto assembled =
      run_compiler(tools, assemble_command(tools, flags, listing, unlinked), scratch.path());
  if (assembled.exit_code != 0) throw_compile_error(complaint(assembled), context);
  check_constants(content_of(unlinked), context);
  const auto link = run_compiler(tools, link_command(tools, unlinked, linked), scratch.path());
  if (link.exit_code != 0) {
    // The linker misses what destructors are registered with, or what else code at load needs.
    if (link.err.find("_GLOBAL__sub_I_") != std::string::npos ||
        link.err.find("__cxa_") != std::string::npos || link.err.find("__dso_handle") != std::string::npos) {
      throw UnsupportedFeature(
          source.path.string(), 0,
          "a variable has a constructor or destructor that would run outside of the kernel; "
          "Metal has none");
    }
    throw_compile_error(complaint(link), context);
  }
  return store_cached(tools.cache, name,
                      guarded_object(content_of(linked), lowered.text, source.path.string()));
}

}  // namespace

std::shared_ptr<const KernelModule> compile(const device::KernelSource& source, Flavour flavour,
                                            const Toolchain& tools, Numerics numerics) {
  const auto object = std::make_shared<const LoadedObject>(compile_object(source, flavour, numerics, tools));
  ModuleOptions options;
  if (flavour == Flavour::fast) {
    options.with_lines = [=]() -> std::string {
      try {
        auto image = compile_object(source, flavour, numerics, tools, true);
        return code_bytes(image) == code_bytes(object->bytes()) ? image : "";
      } catch (const std::exception&) {
        return "";  // the text has changed meanwhile, or the cache is full
      }
    };
  }
  return std::make_shared<KernelModule>(object, tools.stdlib, std::move(options));
}

std::size_t objects_compiled() { return g_compiled; }

bool same_code(const device::KernelSource& source, Numerics one, Numerics other, const Toolchain& tools) {
  return compile_object(source, Flavour::fast, one, tools) ==
         compile_object(source, Flavour::fast, other, tools);
}

}  // namespace assay::metal
