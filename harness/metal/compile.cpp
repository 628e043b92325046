#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "harness/device/source_text.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/diagnostics.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/foreign_text.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/module.hpp"
#include "harness/metal/object_guard.hpp"
#include "harness/metal/prelude.hpp"
#include "harness/metal/process.hpp"
#include "harness/metal/second_reader.hpp"
#include "harness/metal/settings.hpp"
#include "harness/metal/variants.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

void check_readable(const fs::path& path) {
  std::error_code ignored;
  const bool directory = fs::is_directory(path, ignored);
  errno = 0;
  if (!directory && std::ifstream(path)) return;
  const std::string why = directory ? "it is a directory" : std::strerror(errno == 0 ? ENOENT : errno);
  throw CompileError(path.string(), 0, fmt::format("cannot read the kernel source: {}", why));
}

// Whatever a file is called, it is no option of the compiler, and no file of options.
std::string as_argument(const fs::path& path) {
  const std::string name = path.string();
  return name.starts_with('-') || name.starts_with('@') ? "./" + name : name;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// The name of what is made from this text in this way.
std::string object_name(const Toolchain& tools, const std::vector<std::string>& flags,
                        const std::string& text) {
  const auto key = fmt::format("{}\n{}\n{}\n{}", tools.identity, tools.stdlib.filename().string(),
                               fmt::join(flags, "\n"), text);
  return content_hash(key) + ".so";
}

// Objects that are cached were read by what refuse_mixed_spaces() was then: another number, another object.
constexpr const char* kSpaceRules = "\nspaces 1\n";

fs::path compile_object(const device::KernelSource& source, Flavour flavour, Numerics numerics,
                        const Toolchain& tools, bool lines = false) {
  const auto text = tokenize(preprocess(source, tools), source.path.string());
  for (const auto& file : text.files) device::remember_source(file);
  const auto lowered = lower(text, {.function = source.function,
                                    .function_constants = source.function_constants,
                                    .numerics = numerics,
                                    .checked = flavour == Flavour::checked,
                                    .with_spaces = true});
  refuse_unused(source, text.files, lowered.function_constants);
  auto flags = compile_flags(flavour, numerics);
  if (lines) flags.insert(flags.end(), {"-g1", "-gdwarf-4"});  // changes nothing of the code
  if (lowered.textures) flags.push_back("-DASSAY_TEXTURES=1");
  if (lowered.distributed_matrices) flags.push_back("-DASSAY_DISTRIBUTED_MATRICES=1");
  // Texts that differ by address spaces alone are lowered to the same.
  const std::string name =
      object_name(tools, flags, prelude_text(flavour) + lowered.text + kSpaceRules + lowered.with_spaces);
  // What is cached may be from before the guard was what it is.
  if (const auto known = find_cached(tools.cache, name))
    return guarded_object(*known, lowered.text, source.path.string());

  refuse_mixed_spaces(lowered.with_spaces, source.path, tools);
  const CompiledText context{source.path.string(), tools.stdlib, lowered.undefined_constants};
  const ScratchDirectory scratch(tools.cache);
  const fs::path cpp = scratch / "kernel.cpp", unlinked = scratch / "kernel.o",
                 linked = scratch / "kernel.so";
  write_atomically(cpp, lowered.text);
  std::vector<std::string> argv = {tools.compiler};
  argv.insert(argv.end(), flags.begin(), flags.end());
  const auto prelude = include_prelude(flavour, flags, tools);
  argv.insert(argv.end(), prelude.begin(), prelude.end());
  // The sanitizers' passes are wanted, their libraries are not: compile, then link without the flags.
  argv.insert(argv.end(), {"-I", tools.stdlib.string(), "-c", cpp.string(), "-o", unlinked.string()});
  // Relative names of the kernel's files stay relative in the line table, wherever the object is used later.
  const std::string here = cpp.parent_path().string();
  argv.push_back("-fdebug-prefix-map=" + here + "=" + kRelativePlaces);
  const auto compiled = run_compiler(tools, argv, scratch.path(), prelude_files(prelude), here);
  if (compiled.exit_code != 0) throw_compile_error(complaint(compiled), context);
  check_constants(content_of(unlinked), context);
  const auto link = run_compiler(tools,
                                 {tools.compiler, "-shared", "-nostdlib", "-Wl,-Bsymbolic", "-o",
                                  linked.string(), unlinked.string(), script_for_link(tools), "-lgcc", "-lm"},
                                 scratch.path());
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
  return store_cached(tools.cache, name, guarded_object(linked, lowered.text, source.path.string()));
}

}  // namespace

std::string preprocess(const device::KernelSource& source, const Toolchain& tools) {
  for (const auto& file : source.text_prefix) check_readable(file);
  check_readable(source.path);
  std::vector<std::string> argv = {tools.compiler, "-E", "-x", "c++", "-std=gnu++17", "-nostdinc", "-undef",
                                   "-w", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret",
                                   // What Apple's compiler says of itself.
                                   "-D__METAL__=1", "-D__METAL_VERSION__=320", "-D__METAL_MACOS__=1",
                                   "-D__HAVE_BFLOAT__=1", "-D__cplusplus=201703L",
                                   "-D__FLT_MAX__=3.402823466e+38f", "-D__has_feature(x)=0",
                                   "-D__has_extension(x)=0"};
  const fs::path parent = folder_of(source.path);
  argv.insert(argv.end(), {"-I", as_argument(parent)});
  for (const auto& directory : source.include_dirs) argv.insert(argv.end(), {"-I", as_argument(directory)});
  argv.insert(argv.end(), {"-isystem", (tools.stdlib / "empty").string()});
  for (const auto& [name, value] : source.defines) argv.push_back("-D" + name + "=" + value);
  std::vector<fs::path> readable = source.include_dirs;
  readable.push_back(parent);
  // One text, as a host would make it; its markers say which line is of which file.
  for (const auto& file : source.text_prefix) {
    argv.insert(argv.end(), {"-include", as_argument(file)});
    readable.push_back(folder_of(file));
  }
  argv.push_back(as_argument(source.path));
  const ScratchDirectory scratch(tools.cache);
  const auto result = run_compiler(tools, argv, scratch.path(), readable);
  if (result.exit_code != 0) throw_compile_error(complaint(result), {source.path.string(), tools.stdlib, {}});
  refuse_foreign_text(result.out, source, tools.stdlib);
  return result.out;
}

std::shared_ptr<const KernelModule> compile(const device::KernelSource& source, Flavour flavour,
                                            const Toolchain& tools, Numerics numerics) {
  const fs::path object = compile_object(source, flavour, numerics, tools);
  ModuleOptions options;
  if (flavour == Flavour::fast) {
    options.with_lines = [=]() -> std::string {
      try {
        auto image = content_of(compile_object(source, flavour, numerics, tools, true));
        return code_bytes(image) == code_bytes(content_of(object)) ? image : "";
      } catch (const std::exception&) {
        return "";  // the text has changed meanwhile, or the cache is full
      }
    };
  }
  return std::make_shared<KernelModule>(object, tools.stdlib, std::move(options));
}

bool same_code(const device::KernelSource& source, Numerics one, Numerics other, const Toolchain& tools) {
  return content_of(compile_object(source, Flavour::fast, one, tools)) ==
         content_of(compile_object(source, Flavour::fast, other, tools));
}

}  // namespace assay::metal
