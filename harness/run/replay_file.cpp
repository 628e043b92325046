#include "harness/run/replay_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace assay::run {
namespace {

namespace fs = std::filesystem;

/// So far into a file the line ends, comments and all.
constexpr std::size_t kLongest = std::size_t{1} << 16;

}  // namespace

std::string replay_line_in(const fs::path& file) {
  const auto refuse = [&](const char* why) {
    throw std::invalid_argument(fmt::format("{}: {}", file.string(), why));
  };
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse("cannot be read");
  std::string head(kLongest, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  const bool whole = in.eof();
  head.resize(static_cast<std::size_t>(in.gcount()));
  for (std::size_t begin = 0; begin < head.size();) {
    const auto found = head.find('\n', begin);
    if (found == std::string::npos && !whole) break;
    const auto end = std::min(found, head.size());
    std::string line = head.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos && line.front() != '#') return line;
    begin = end + 1;
  }
  if (!whole) refuse("has no replay line in its first 65,536 bytes");
  refuse("holds no replay line; give a file that assay fuzz has written, or the line itself");
  return {};
}

ReplayLine read_replay_argument(const std::string& argument) {
  std::error_code none;
  if (!fs::is_regular_file(argument, none)) return parse_replay_line(argument);
  try {
    return parse_replay_line(replay_line_in(argument));
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    throw std::invalid_argument(what.starts_with(argument + ": ") ? what : argument + ": " + what);
  }
}

}  // namespace assay::run
