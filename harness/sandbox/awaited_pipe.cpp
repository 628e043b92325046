#include "harness/sandbox/awaited_pipe.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace assay::sandbox {
namespace {

namespace fs = std::filesystem;

fs::path of_process(pid_t process, const std::string& name) {
  return fs::path("/proc") / std::to_string(process) / name;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> all;
  std::ifstream in(of_process(process, "task") / std::to_string(process) / "children");
  for (pid_t pid; in >> pid;) all.push_back(pid);
  return all;
}

// A string of another process.
std::string text_at(pid_t process, std::uintptr_t address) {
  std::array<char, 4096> text{};
  for (std::size_t have = 0; have < text.size();) {
    const std::size_t in_page = 4096 - (address + have) % 4096;  // what is behind may not be there
    const iovec mine{text.data() + have, std::min(in_page, text.size() - have)};
    const iovec theirs{reinterpret_cast<void*>(address + have), mine.iov_len};
    const ssize_t got = process_vm_readv(process, &mine, 1, &theirs, 1, 0);
    if (got <= 0) return "";
    const std::string_view seen(text.data() + have, static_cast<std::size_t>(got));
    have += seen.size();
    if (seen.find('\0') != seen.npos) return text.data();
  }
  return "";
}

// proc(5), /proc/pid/syscall: the number and the arguments of the call that a process waits in, or "running".
std::string file_awaited_by(pid_t process) {
  std::ifstream in(of_process(process, "syscall"));
  long number = -1;
  std::array<std::uintptr_t, 2> arguments{};
  in >> number >> std::hex >> std::ws;
  for (auto& argument : arguments) {
    std::string word;
    in >> word;
    if (word.starts_with("0x")) argument = std::stoull(word, nullptr, 16);
  }
  if (!in) return "";
#ifdef SYS_open
  if (number == SYS_open) return text_at(process, arguments[0]);
#endif
  if (number == SYS_openat) return text_at(process, arguments[1]);
  std::error_code gone;
  if (number == SYS_read)
    return fs::read_symlink(of_process(process, "fd") / std::to_string(arguments[0]), gone).string();
  return "";
}

}  // namespace

std::string awaited_pipe(pid_t root) {
  std::vector<pid_t> left = {root};
  while (!left.empty()) {
    const pid_t process = left.back();
    left.pop_back();
    const auto below = children_of(process);
    left.insert(left.end(), below.begin(), below.end());
    const std::string file = file_awaited_by(process);
    if (file.empty()) continue;
    std::error_code gone;
    const fs::path here = fs::read_symlink(of_process(process, "cwd"), gone);
    if (fs::is_fifo(here / file, gone)) return file;  // pipes without a name are none that a path leads to
  }
  return "";
}

}  // namespace assay::sandbox
