#include "harness/verify/replace_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

namespace assay {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int why) {
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(why)));
}

/// Where the bytes go first: beside the file that a link leads to, or straight to what is no regular file.
struct Target {
  fs::path whole, part;
  bool in_place = false;

  explicit Target(const fs::path& path) : whole(path) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_directory(status)) fail(path, EISDIR);
    if (fs::exists(status)) {
      if (access(path.c_str(), W_OK) != 0) fail(path, errno);
      in_place = !fs::is_regular_file(status);
      if (!in_place) whole = fs::canonical(path, error);
    }
    part = in_place ? whole : fs::path(whole.string() + std::string(kPartSuffix));
  }
};

struct Closes {
  void operator()(std::FILE* file) const { (void)!std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closes>;

File open(const fs::path& path, const Target& target) {
  File file(std::fopen(target.part.c_str(), "wb"));
  if (!file) fail(path, errno);
  return file;
}

}  // namespace

void replace_file(const fs::path& path, std::span<const std::string_view> pieces) {
  const Target target(path);
  const auto give_up = [&](int why) {
    if (!target.in_place) (void)!unlink(target.part.c_str());
    fail(path, why);
  };
  File file = open(path, target);
  for (const auto piece : pieces) {
    if (std::fwrite(piece.data(), 1, piece.size(), file.get()) != piece.size()) give_up(errno);
  }
  if (std::fclose(file.release()) != 0) give_up(errno);
  if (!target.in_place && std::rename(target.part.c_str(), target.whole.c_str()) != 0) give_up(errno);
}

void check_replaceable(const fs::path& path) {
  const Target target(path);
  if (target.in_place) return;
  open(path, target);
  (void)!unlink(target.part.c_str());
}

}  // namespace assay
