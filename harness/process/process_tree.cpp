#include "harness/process/process_tree.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>

namespace assay::process {
namespace {

struct Entry {
  pid_t parent = 0;
  double seconds = 0;
};

/// Of "pid (name) state parent ..." (proc(5), /proc/pid/stat); the name may hold anything.
Entry entry_of(const std::string& stat) {
  Entry entry;
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return entry;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string state, skipped;
  fields >> state >> entry.parent;
  for (int field = 5; field < 14; ++field) fields >> skipped;
  double ticks = 0, sum = 0;
  for (int field = 14; field <= 17 && fields >> ticks; ++field) sum += ticks;
  entry.seconds = sum / static_cast<double>(sysconf(_SC_CLK_TCK));
  return entry;
}

/// Nothing of a process that ends meanwhile: its file cannot be read then, though it was opened.
std::string stat_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string stat;
  std::getline(in, stat, '\0');  // an iterator would throw what this takes for an end
  return stat;
}

}  // namespace

double processor_time_of(pid_t process, const std::filesystem::path& proc) {
  std::map<pid_t, Entry> entries;
  std::error_code unreadable;
  for (std::filesystem::directory_iterator at(proc, unreadable), end; !unreadable && at != end;
       at.increment(unreadable)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = stat_of(at->path() / "stat");
    if (!stat.empty()) entries[static_cast<pid_t>(std::stol(name))] = entry_of(stat);
  }
  double seconds = 0;
  for (const auto& [pid, entry] : entries) {
    pid_t at = pid;
    for (std::size_t steps = 0; at != process && at > 1 && steps < entries.size(); ++steps) {
      const auto found = entries.find(at);
      at = found == entries.end() ? 0 : found->second.parent;
    }
    if (at == process) seconds += entry.seconds;
  }
  return seconds;
}

}  // namespace assay::process
