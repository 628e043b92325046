#include "harness/verify/replace_file.hpp"

#include <fcntl.h>
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

/// The machine's own names for descriptors: /dev/stdout, /dev/fd/1, /proc/self/fd/1.
bool names_a_descriptor(const fs::path& path) {
  std::error_code error;
  const std::string folder =
      fs::weakly_canonical(fs::absolute(path, error).parent_path(), error).string() + '/';
  return folder.starts_with("/dev/") || folder.starts_with("/proc/");
}

/// Where the bytes go first: beside the file, or straight to what is no regular file. A link is not followed:
/// whoever made it would choose which file of this user's is replaced.
struct Target {
  fs::path whole, part;
  bool in_place = false;

  explicit Target(const fs::path& path) : whole(path) {
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error)) && !names_a_descriptor(path))
      throw std::runtime_error(
          fmt::format("{}: is a link, which is not followed; name the file that it leads to, or remove it",
                      path.string()));
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
  int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
  if (!target.in_place) {
    (void)!unlink(target.part.c_str());  // of a program that was killed
    flags |= O_EXCL | O_NOFOLLOW;
  }
  const int descriptor = ::open(target.part.c_str(), flags, 0666);
  if (descriptor < 0) fail(path, errno);
  return File(fdopen(descriptor, "wb"));
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
