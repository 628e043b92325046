#include "harness/metal/clang_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/metal/cache.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/prelude.hpp"
#include "harness/metal/process.hpp"

namespace assay::metal {

namespace fs = std::filesystem;

namespace {

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> clang_arguments(Flavour flavour, Numerics numerics) {
  std::vector<std::string> all = {
      "-x", "c++", "-std=gnu++17", "-Ulinux", "-Uunix", "-nostdsysteminc", "-nobuiltininc", "-fno-rtti",
      // The passes over IR (harness/metal/ir) optimise; this marks what they may.
      "-O2", "-disable-llvm-passes", "-mrelocation-model", "pic", "-pic-level", "2",
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
      "-fstack-clash-protection", "-fvisibility=hidden", "-debug-info-kind=line-tables-only",
      "-dwarf-version=4", "-fno-threadsafe-statics", "-w", "-Wno-invalid-constexpr",
      // What is read ahead has the hash of its text for a name.
      "-fno-validate-pch", "-ferror-limit", "20"};
  switch (numerics) {
    case Numerics::strict:
    case Numerics::approximate:  // of a text that asks for nothing of it, the same as strict
      add(all, {"-ffp-contract=off"});
      break;
    case Numerics::contracted:
      add(all, {"-ffp-contract=fast", "-DASSAY_CONTRACTED=1"});
      break;
    case Numerics::reassociated:
      add(all, {"-ffp-contract=off", "-mreassociate", "-fno-signed-zeros", "-DASSAY_REASSOCIATED=1"});
      break;
    case Numerics::relaxed:
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
    add(all, {"-DASSAY_CHECKED=1", "-fsanitize=alignment,array-bounds,shift-exponent,float-cast-overflow",
              "-fsanitize-recover=alignment,array-bounds,shift-exponent,float-cast-overflow"});
  }
  return all;
}

std::vector<std::string> clang_command(const Toolchain& tools, const std::vector<std::string>& arguments,
                                       const fs::path& text, const fs::path& output, bool checked) {
  std::vector<std::string> argv = {tools.clang, "--library", tools.stdlib.string(), "-o", output.string()};
  if (checked) argv.emplace_back("--checked");
  for (const auto& one : arguments) argv.push_back("--cc1=" + one);
  argv.push_back(text.string());
  return argv;
}

fs::path clang_prelude(Flavour flavour, const std::vector<std::string>& arguments, const Toolchain& tools) {
  const std::string text = prelude_text(flavour);
  std::vector<std::string> lasting;  // not where this text's own files lie
  for (const auto& one : arguments)
    if (!one.starts_with("-fdebug")) lasting.push_back(one);
  const auto key = content_hash(
      fmt::format("{}\n{}\n{}\n{}", tools.identity, tools.stdlib.string(), fmt::join(lasting, "\n"), text));
  const auto name = fmt::format("prelude-{}.h", key);
  const fs::path header = tools.cache / name, precompiled = header.string() + ".pch";
  if (content_of(header) != text) write_atomically(header, text, scratch_root(tools.cache));
  if (find_cached(tools.cache, name + ".pch")) return precompiled;
  const ScratchDirectory scratch(tools.cache);
  const fs::path made = scratch / "prelude.pch";
  std::replace(lasting.begin(), lasting.end(), std::string("c++"), std::string("c++-header"));
  auto argv = clang_command(tools, lasting, header, made, false);
  argv.emplace_back("--header");
  const auto done = run_compiler(tools, argv, scratch.path(), {header});
  if (done.exit_code != 0) throw ToolchainError("cannot read the stand-in headers: " + complaint(done));
  store_cached(tools.cache, name + ".pch", content_of(made));
  return precompiled;
}

}  // namespace assay::metal
