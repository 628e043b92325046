#include "harness/metal/text/preprocess.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "harness/device/metal_version.hpp"
#include "harness/device/text_folders.hpp"
#include "harness/metal/compile/compile_texts.hpp"
#include "harness/metal/compile/diagnostics.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/process.hpp"
#include "harness/metal/compile/scratch.hpp"
#include "harness/metal/text/foreign_text.hpp"
#include "harness/metal/text/metal_macros.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

void check_readable(const fs::path& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  errno = 0;
  if (fs::is_regular_file(status) && std::ifstream(path)) return;
  const std::string why = fs::is_directory(status) ? "it is a directory"
                          : fs::exists(status) && !fs::is_regular_file(status)
                              ? "it is not a regular file"
                              : std::strerror(errno == 0 ? ENOENT : errno);
  throw CompileError(path.string(), 0, fmt::format("cannot read the kernel source: {}", why));
}

// Whatever a file is called, it is no option of the compiler, and no file of options.
std::string as_argument(const fs::path& path) {
  const std::string name = path.empty() ? "." : path.string();
  return name.starts_with('-') || name.starts_with('@') ? "./" + name : name;
}

// Markers write names as strings. The line behind a file's end is another one even where the file ends in a
// backslash.
std::string line_marker(std::size_t line, const std::string& name) {
  std::string quoted;
  for (const char c : name) quoted += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
  return fmt::format("# {} \"{}\"\n", line, quoted);
}

std::string joined_pieces(const std::vector<device::SourcePiece>& pieces) {
  std::string all;
  std::size_t line = 1;  // of what is made, which counts through
  for (const auto& piece : pieces) {
    if (!piece.file.empty()) check_readable(piece.file);
    all += piece.file.empty() ? line_marker(line, device::kMadeText) + piece.text
                              : line_marker(1, as_argument(piece.file)) + content_of(piece.file) + "\n\n";
    if (piece.file.empty())
      line += static_cast<std::size_t>(std::count(piece.text.begin(), piece.text.end(), '\n'));
  }
  return all;
}

// Where the preprocessor was given a file that pieces were joined in: the output without that file's name.
std::string without_joined_file(const std::string& out) {
  const auto begin = out.find(line_marker(1, device::kMadeText));
  return begin == out.npos ? out : out.substr(begin);
}

std::vector<fs::path> folders_of(const device::KernelSource& source) {
  std::vector<fs::path> folders = {source.path};
  folders.insert(folders.end(), source.text_prefix.begin(), source.text_prefix.end());
  for (const auto& piece : source.composed.pieces) {
    if (!piece.file.empty()) folders.push_back(piece.file);
  }
  for (fs::path& folder : folders) folder = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

// What the preprocessor made of a text, and the files that it read for it with hashes of what was in them.
struct Made {
  std::string out;
  std::vector<std::pair<fs::path, std::string>> files;
};

// A process asks for the same text many times: as it reads the kernel's interface, and for each mode. A file
// that has changed since makes it anew; one that would be found now in front of those that were read does
// not.
class Preprocessed {
 public:
  std::optional<std::string> find(const std::string& command) {
    const std::lock_guard lock(mutex_);
    const auto at = made_.find(command);
    if (at == made_.end()) return std::nullopt;
    for (const auto& [file, hash] : at->second.files)
      if (content_hash(content_of(file)) != hash) return std::nullopt;
    return at->second.out;
  }

  /// `given`: the files on the command line; the text's markers name those that these include.
  void keep(const std::string& command, const std::string& out, std::vector<fs::path> given) {
    Made made{out, {}};
    for (const auto& file : tokenize(out, "").files) given.emplace_back(file);
    for (const auto& file : given) made.files.emplace_back(file, content_hash(content_of(file)));
    const std::lock_guard lock(mutex_);
    if (made_.size() >= kMost) made_.clear();
    made_[command] = std::move(made);
  }

 private:
  static constexpr std::size_t kMost = 64;
  std::mutex mutex_;
  std::map<std::string, Made> made_;
};

Preprocessed& preprocessed() {
  static Preprocessed all;
  return all;
}

}  // namespace

std::string preprocess(const device::KernelSource& source, const Toolchain& tools) {
  for (const auto& file : source.text_prefix) check_readable(file);
  check_readable(source.path);
  std::vector<std::string> arguments = {
      "-x", "c++", "-std=gnu++17", "-nostdsysteminc", "-nobuiltininc", "-undef", "-w",
      // What Apple's compiler says of itself.
      "-D__METAL__=1", fmt::format("-D{}={}", device::kMetalVersionMacro, device::kMetalVersion),
      "-D__METAL_MACOS__=1", "-D__HAVE_BFLOAT__=1", "-D__cplusplus=201703L",
      "-D__FLT_MAX__=3.402823466e+38f"};
  const auto macros = metal_macros();
  arguments.insert(arguments.end(), macros.begin(), macros.end());
  std::vector<fs::path> readable = folders_of(source);
  for (const auto& folder : readable) arguments.insert(arguments.end(), {"-I", as_argument(folder)});
  for (const auto& directory : source.include_dirs)
    arguments.insert(arguments.end(), {"-I", as_argument(directory)});
  arguments.insert(arguments.end(), {"-isystem", (tools.stdlib / "empty").string()});
  for (const auto& [name, value] : source.defines) arguments.push_back(fmt::format("-D{}={}", name, value));
  readable.insert(readable.end(), source.include_dirs.begin(), source.include_dirs.end());
  const auto project = device::text_folders_of(source.path);
  readable.insert(readable.end(), project.begin(), project.end());
  // One text, as a host would make it; its markers say which line is of which file.
  for (const auto& file : source.text_prefix)
    arguments.insert(arguments.end(), {"-include", as_argument(file)});
  const bool composed = !source.composed.pieces.empty();
  const std::string joined = joined_pieces(source.composed.pieces);
  auto argv = compiler_command(tools, "preprocess", arguments);
  const std::string command = fmt::format("{}\n{}\n{}\n{}\n{}", fmt::join(argv, "\n"), source.path.string(),
                                          tools.identity, fs::current_path().string(), joined);
  auto known = preprocessed().find(command);
  if (!known) {
    const ScratchDirectory scratch(tools.cache);
    const fs::path text = composed ? scratch / "joined.metal" : source.path;
    if (composed) write_atomically(text, joined);
    argv.push_back(as_argument(text));
    auto result = run_compiler(tools, argv, scratch.path(), readable);
    if (result.exit_code != 0) throw_compile_error(complaint(result), {source.path.string(), tools.stdlib});
    known = composed ? without_joined_file(result.out) : std::move(result.out);
    std::vector<fs::path> given = source.text_prefix;
    given.push_back(source.path);
    preprocessed().keep(command, *known, given);
  }
  refuse_foreign_text(*known, source, tools.stdlib);
  return *known;
}

}  // namespace assay::metal
