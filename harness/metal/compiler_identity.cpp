#include "harness/metal/compiler_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/metal/cache.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/process.hpp"
#include "harness/metal/toolchain.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

// The file that a program's name stands for, links resolved; empty if there is none.
fs::path file_of(const std::string& program) {
  std::error_code absent;
  if (program.find('/') != program.npos) return fs::canonical(program, absent);
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (fs::is_regular_file(file, absent) && access(file.c_str(), X_OK) == 0)
      return fs::canonical(file, absent);
  }
  return {};
}

// What tells a compiler's file from any other; nothing of a file that may start another program.
std::optional<std::string> file_identity(const std::string& program) {
  const fs::path file = file_of(program);
  if (file.empty()) return program + ": none\n";
  const std::string name = file.filename().string();
  if (name.find("g++") == name.npos && name.find("clang") == name.npos) return std::nullopt;
  char magic[4] = {};
  struct stat found {};
  if (!std::ifstream(file).read(magic, sizeof magic) || std::string_view(magic, 4) != "\177ELF" ||
      stat(file.c_str(), &found) != 0)
    return std::nullopt;
  return fmt::format("{}: {} {} {} {} {}.{}\n", program, file.string(), found.st_dev, found.st_ino,
                     found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

// What Linux says of the first processor, but for what changes while it runs; nothing where it says nothing.
std::optional<std::string> processor() {
  std::ifstream in("/proc/cpuinfo");
  std::string all;
  for (std::string line; std::getline(in, line) && !line.empty();)
    if (line.find("MHz") == line.npos && !line.starts_with("processor")) all += line + '\n';
  if (all.empty()) return std::nullopt;
  return all;
}

// The name under which the cache keeps what these programs say; nothing where it keeps nothing.
std::optional<std::string> kept_name(const std::string& compiler, const std::vector<std::string>& readers) {
  auto key = processor();
  auto add = [&](const std::string& program) {
    const auto file = key ? file_identity(program) : std::nullopt;
    key = file ? std::optional(*key + *file) : std::nullopt;
  };
  add(compiler);
  for (const auto& reader : readers) add(reader);
  if (!key) return std::nullopt;
  return "compiler-" + content_hash(*key);
}

CompilerIdentity ask(const std::string& compiler, const std::vector<std::string>& readers) {
  const auto version = run_process({compiler, "-dumpfullversion", "-dumpversion", "-dumpmachine"});
  if (version.exit_code != 0) {
    throw ToolchainError(fmt::format("{} does not work: {}", compiler,
                                     complaint(version).substr(0, complaint(version).find('\n'))));
  }
  const auto target = run_process({compiler, "-march=native", "-E", "-dM", "-x", "c", "/dev/null"});
  CompilerIdentity found{version.out + content_hash(target.out), ""};
  for (const auto& reader : readers) {
    try {
      const auto of_reader = run_process({reader, "--version"});
      if (of_reader.exit_code != 0) continue;
      found.text += of_reader.out.substr(0, of_reader.out.find('\n'));
      found.second_reader = reader;
      break;
    } catch (const ToolchainError&) {  // it is not installed
    }
  }
  return found;
}

}  // namespace

CompilerIdentity identity_of(const std::string& compiler, const std::vector<std::string>& readers,
                             const fs::path& cache) {
  const auto name = kept_name(compiler, readers);
  if (!name) return ask(compiler, readers);
  if (const auto kept = find_cached(cache, *name)) {
    const auto line = kept->find('\n');  // the second reader is in the first one
    if (line != kept->npos) return {kept->substr(line + 1), kept->substr(0, line)};
  }
  auto found = ask(compiler, readers);
  store_cached(cache, *name, found.second_reader + '\n' + found.text);
  return found;
}

}  // namespace assay::metal
