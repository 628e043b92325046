#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>

#include "harness/metal/errors.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/module.hpp"
#include "harness/metal/process.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

// Names that mean a part of Metal which no compute kernel for matrices needs and the simulator lacks.
constexpr std::array<std::pair<const char*, const char*>, 16> kMissing = {{
    {"texture1d", "textures"},
    {"texture2d", "textures"},
    {"texture2d_array", "textures"},
    {"texture3d", "textures"},
    {"texturecube", "textures"},
    {"texture_buffer", "textures"},
    {"depth2d", "textures"},
    {"sampler", "samplers"},
    {"imageblock", "image blocks"},
    {"intersector", "ray tracing"},
    {"visible_function_table", "function tables"},
    {"command_buffer", "indirect command buffers"},
    {"simdgroup_event", "asynchronous copies"},
    {"simdgroup_async_copy", "asynchronous copies"},
    {"tensor", "Metal 4 tensors"},
    {"tensor_ops", "Metal 4 tensors"},
}};

// The first "file:line:column: error: text" of a compiler's output that lies in the user's files.
[[noreturn]] void throw_compile_error(const std::string& output, const std::string& main_file) {
  static const std::regex kError(R"((.+?):(\d+):(?:\d+:)? (?:fatal )?error: (.+))");
  static const std::regex kContext(R"((.+?):(\d+):(?:\d+:)?   required from here)");
  static const std::regex kQuoted("['\u2018]([A-Za-z_][A-Za-z_0-9]*)");
  const std::string stdlib = toolchain().stdlib.string();
  std::istringstream lines(output);
  std::string line, file = main_file, message;
  std::uint32_t number = 0;
  std::string context_file;
  std::uint32_t context_line = 0;
  std::smatch match;
  while (std::getline(lines, line)) {
    if (std::regex_search(line, match, kContext) && match[1].str().rfind(stdlib, 0) != 0) {
      context_file = match[1];
      context_line = static_cast<std::uint32_t>(std::stoul(match[2]));
    }
    if (!std::regex_search(line, match, kError)) continue;
    message = match[3];
    if (match[1].str().rfind(stdlib, 0) != 0) {
      file = match[1];
      number = static_cast<std::uint32_t>(std::stoul(match[2]));
    } else if (!context_file.empty()) {
      file = context_file;
      number = context_line;
    }
    break;
  }
  if (message.empty()) message = "the compiler failed: " + output.substr(0, output.find('\n'));
  for (std::sregex_iterator it(output.begin(), output.end(), kQuoted), end; it != end; ++it) {
    for (const auto& [name, what] : kMissing) {
      if ((*it)[1].str() == name) {
        throw UnsupportedFeature(file, number, fmt::format("`{}`: {} are not supported", name, what), output);
      }
    }
  }
  throw CompileError(file, number, message, output);
}

std::string preprocess(const device::KernelSource& source) {
  const auto& tools = toolchain();
  std::vector<std::string> argv = {tools.compiler, "-E", "-x", "c++", "-std=gnu++17", "-nostdinc", "-undef",
                                   "-fdiagnostics-color=never", "-fno-diagnostics-show-caret",
                                   "-D__METAL__=1", "-D__METAL_VERSION__=320", "-D__METAL_MACOS__=1",
                                   "-D__cplusplus=201703L", "-D__FLT_MAX__=3.402823466e+38f"};
  argv.insert(argv.end(), {"-I", source.path.parent_path().empty() ? "." : source.path.parent_path().string()});
  for (const auto& directory : source.include_dirs) argv.insert(argv.end(), {"-I", directory.string()});
  argv.insert(argv.end(), {"-isystem", (tools.stdlib / "empty").string()});
  for (const auto& [name, value] : source.defines) argv.push_back("-D" + name + "=" + value);
  argv.push_back(source.path.string());
  const auto result = run_process(argv);
  if (result.exit_code != 0) throw_compile_error(result.err, source.path.string());
  return result.out;
}

fs::path compile_object(const device::KernelSource& source, Flavour flavour) {
  if (std::ifstream probe(source.path); !probe || fs::is_directory(source.path)) {
    throw CompileError(source.path.string(), 0, "cannot read the kernel source; check `source` in the manifest");
  }
  const auto& tools = toolchain();
  const auto lowered = lower(tokenize(preprocess(source), source.path.string()),
                             {source.function, source.function_constants});
  const std::string text = "#include \"assay/metal.h\"\n#include \"assay/entry.h\"\n" +
                           std::string(flavour == Flavour::checked ? "#include \"assay/hooks.h\"\n" : "") +
                           lowered.text;
  const auto flags = compile_flags(flavour);
  std::string key = tools.identity + '\0' + tools.stdlib.filename().string() + '\0' + text;
  for (const auto& flag : flags) key += '\0' + flag;
  const fs::path object = tools.cache / (content_hash(key) + ".so");
  if (fs::exists(object)) return object;

  static std::atomic<unsigned> counter{0};
  const std::string own = fmt::format("{}.{}.{}", object.string(), getpid(), counter++);
  const fs::path cpp = own + ".cpp", temporary = own + ".so";
  write_atomically(cpp, text);
  std::vector<std::string> argv = {tools.compiler};
  argv.insert(argv.end(), flags.begin(), flags.end());
  // The sanitizers' passes are wanted, their libraries are not: compile, then link without the flags.
  const fs::path unlinked = own + ".o";
  argv.insert(argv.end(), {"-I", tools.stdlib.string(), "-c", cpp.string(), "-o", unlinked.string()});
  const auto compiled = run_process(argv);
  if (compiled.exit_code != 0) {
    if (std::getenv("ASSAY_KEEP") == nullptr) fs::remove(cpp);
    throw_compile_error(compiled.err, source.path.string());
  }
  const auto linked = run_process({tools.compiler, "-shared", "-nostdlib", "-o", temporary.string(),
                                   unlinked.string(), "-lgcc", "-lm"});
  if (std::getenv("ASSAY_KEEP") == nullptr) fs::remove(cpp);
  fs::remove(unlinked);
  if (linked.exit_code != 0) throw_compile_error(linked.err, source.path.string());
  fs::rename(temporary, object);
  return object;
}

}  // namespace

std::shared_ptr<const KernelModule> compile(const device::KernelSource& source, Flavour flavour) {
  return std::make_shared<KernelModule>(compile_object(source, flavour));
}

}  // namespace assay::metal
