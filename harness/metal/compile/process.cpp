#include "harness/metal/compile/process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstring>

#include "harness/metal/compile/errors.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

/// Generous: optimising a large kernel takes seconds and less than a gigabyte.
constexpr double kCompile_s = 600;
constexpr std::uint64_t kCompilerBytes = std::uint64_t{8} << 30;

const std::vector<std::string> kNeutral = {"LC_ALL=C",
                                           "LANGUAGE=", "CPATH=", "C_INCLUDE_PATH=", "CPLUS_INCLUDE_PATH="};

ProcessResult run(const std::vector<std::string>& argv, const sandbox::ProgramOptions& options) {
  try {
    return sandbox::run_program(argv, options);
  } catch (const sandbox::ProgramError& error) {
    throw ToolchainError(fmt::format("{}; install it again, or set ASSAY_COMPILER to one", error.what()));
  }
}

// The program and its libraries; not the headers of the system.
std::vector<fs::path> program(const std::string& compiler) {
  std::error_code absent;
  return {fs::canonical(compiler, absent).parent_path(),
          "/bin",
          "/lib",
          "/lib64",
          "/usr/bin",
          "/usr/lib",
          "/usr/lib64",
          "/usr/local/lib",
          "/etc/ld.so.cache"};
}

// No limit from outside is lower.
bool may_write(std::uint64_t bytes) {
  rlimit most{};
  return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur >= bytes;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, const std::string& directory) {
  sandbox::ProgramOptions options;
  options.directory = directory;
  options.environment = kNeutral;
  return run(argv, options);
}

ProcessResult run_compiler(const Toolchain& tools, const std::vector<std::string>& argv,
                           const fs::path& scratch, const std::vector<fs::path>& readable,
                           const std::string& directory) {
  sandbox::ProgramOptions options;
  options.directory = directory;
  options.environment = kNeutral;
  options.environment.push_back("TMPDIR=" + scratch.string());
  options.timeout_s = kCompile_s;
  options.memory_bytes = kCompilerBytes;
  options.files.emplace();
  options.files->read = program(tools.compiler);
  options.files->read.push_back(tools.stdlib);
  options.files->read.insert(options.files->read.end(), readable.begin(), readable.end());
  options.files->devices = {"/dev/null"};
  options.files->write = {scratch};
  auto result = run(argv, options);
  const auto said = [&](const char* what) {
    return result.exit_code != 0 && result.err.find(what) != std::string::npos;
  };
  if ((said("File too large") || said("File size limit exceeded")) && may_write(options.output_bytes)) {
    result.stopped =
        fmt::format("a file that it made had more than {} bytes; an array of the text is too large",
                    options.output_bytes);
    return result;
  }
  for (const char* full : {"No space left on device", "File too large", "Disk quota exceeded"}) {
    if (!said(full)) continue;
    throw ToolchainError(
        fmt::format("cannot write to the kernel cache {}: {}; make room, or set ASSAY_CACHE_DIR to "
                    "another directory",
                    tools.cache.string(), full));
  }
  return result;
}

std::string complaint(const ProcessResult& result) {
  if (!result.stopped.empty()) return "the compiler was stopped: " + result.stopped;
  if (!result.err.empty()) return result.err;
  if (result.exit_code > 128)
    return fmt::format("the compiler was ended by signal {} ({})", result.exit_code - 128,
                       strsignal(result.exit_code - 128));
  return fmt::format("the compiler ended with status {} and no message", result.exit_code);
}

}  // namespace assay::metal
