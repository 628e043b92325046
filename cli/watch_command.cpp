// `assay watch`: verifies kernels, and again whenever one of their files is saved.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/stated_operation.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kLookEvery = std::chrono::milliseconds(250), kLookForEndEvery = std::chrono::milliseconds(25);
/// Folders within folders, and files, beyond which nobody means a kernel's.
constexpr int kDeepest = 3;
constexpr std::size_t kMostFiles = 5'000;

/// When and how long each file was.
using Snapshot = std::map<fs::path, std::pair<fs::file_time_type, std::uintmax_t>>;

/// Where texts of the kernels lie. Those of a manifest that cannot be read now are beside it.
std::set<fs::path> folders_of(const Kernels& kernels) {
  std::set<fs::path> folders;
  const auto add = [&](const fs::path& file) { folders.insert(fs::absolute(file).parent_path()); };
  if (kernels.manifest) add(*kernels.manifest);
  try {
    const auto entries = run::load_manifest(kernels.manifest, kernels.names);
    for (const KernelEntry* entry : run::choose(entries, kernels.names)) {
      add(entry->manifest);
      add(entry->source);
      for (const auto& folder : entry->include_dirs) folders.insert(fs::absolute(folder));
      for (const auto& file : entry->text_prefix) add(file);
      if (entry->stated && !entry->stated->reference.empty()) add(entry->stated->reference);
    }
  } catch (const std::exception&) {  // said by the run
    if (!kernels.manifest) throw;
  }
  return folders;
}

bool is_text(const fs::path& file) {
  static const std::set<std::string> kinds = {".metal", ".h", ".hpp", ".cpp", ".toml", ".msl"};
  return kinds.contains(file.extension().string());
}

Snapshot look(const std::set<fs::path>& folders) {
  Snapshot seen;
  for (const fs::path& folder : folders) {
    std::error_code failed;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed), end;
    for (; !failed && at != end && seen.size() < kMostFiles; at.increment(failed)) {
      const bool hidden = at->path().filename().string().starts_with(".");
      if (at.depth() >= kDeepest || hidden) at.disable_recursion_pending();
      std::error_code gone;
      if (hidden || !is_text(at->path()) || !at->is_regular_file(gone)) continue;
      seen[at->path()] = {at->last_write_time(gone), at->file_size(gone)};
    }
  }
  return seen;
}

/// Waits for a change, and for the end of what changes: editors write in several steps.
std::vector<fs::path> wait_for_change(const std::set<fs::path>& folders, Snapshot before) {
  for (Snapshot last = before;;) {
    for (auto slept = kLookForEndEvery; slept <= kLookEvery; slept += kLookForEndEvery) {
      std::this_thread::sleep_for(kLookForEndEvery);
      process::throw_if_interrupted();
    }
    Snapshot now = look(folders);
    if (now == last && now != before) {
      std::vector<fs::path> changed;
      for (const auto& [file, state] : now) {
        const auto known = before.find(file);
        if (known == before.end() || known->second != state) changed.push_back(file);
      }
      for (const auto& [file, state] : before) {
        if (!now.contains(file)) changed.push_back(file);
      }
      return changed;
    }
    last = std::move(now);
  }
}

/// Runs `assay verify` in a process of its own, which remembers nothing of the texts before. Throws
/// process::Interrupted once that has said its last words.
void verify(const std::vector<std::string>& options) {
  std::vector<std::string> words = {"assay", "verify"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int failed = posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, argv.data(), environ))
    throw std::system_error(failed, std::generic_category(), "cannot start assay verify");
  int status = 0;
  bool passed_on = false;
  while (waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(kLookForEndEvery);
    if (passed_on) continue;
    try {
      process::throw_if_interrupted();
    } catch (const process::Interrupted& by) {
      kill(child, by.signal());
      passed_on = true;
    }
  }
  process::throw_if_interrupted();
}

}  // namespace

int run_command(const WatchArguments& arguments) {
  const process::Interruptible noting;  // all along: between two runs, too, it knows how many there were
  ProgressLine line(arguments.verify.talk);
  std::size_t runs = 0;
  return tell_if_interrupted(
      line,
      [&]() -> int {
        for (;;) {
          const auto folders = folders_of(arguments.verify.kernels);
          const Snapshot before = look(folders);
          process::throw_if_interrupted();
          verify(arguments.options);
          ++runs;
          line.note(fmt::format("\nwatching {}; Ctrl-C ends\n", counted(before.size(), "file")));
          const auto changed = wait_for_change(folders, before);
          const std::string more =
              changed.size() == 1 ? " has" : fmt::format(" and {} more have", grouped(changed.size() - 1));
          line.print(fmt::format("\n{}{} changed\n", changed.front().filename().string(), more));
        }
      },
      [&] { return "verified " + (runs == 1 ? "once" : counted(runs, "time")); });
}

}  // namespace assay::cli
