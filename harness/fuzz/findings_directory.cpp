#include "harness/fuzz/findings_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::fuzz {

namespace fs = std::filesystem;

namespace {

constexpr const char* kState = "state.json";
constexpr const char* kLock = "lock";
/// A run that was killed keeps the lock until the system has told its processes.
constexpr std::chrono::milliseconds kPatience{1000}, kPause{20};
/// Thousands of findings fit in.
constexpr std::uintmax_t kLargestState = std::uintmax_t{256} << 20;
/// Short enough to be typed.
constexpr std::uint64_t kDrawnSeeds = 1'000'000'000;

[[noreturn]] void cannot_use(const fs::path& path, const std::string& why) {
  throw std::runtime_error(
      fmt::format("--findings: {}: {}; name a directory that can be written", path.string(), why));
}

void write_whole(const fs::path& path, std::string_view text) {
  const std::array pieces = {text};
  replace_file(path, pieces);
}

}  // namespace

FindingsDirectory::FindingsDirectory(fs::path path, std::optional<std::uint64_t> seed)
    : path_(std::move(path)) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) cannot_use(path_, error.message());
  lock();
  try {
    for (const auto& entry : fs::directory_iterator(path_, error)) {
      if (entry.path().string().ends_with(kPartSuffix)) fs::remove(entry.path(), error);
    }
    read(seed);
    save();
  } catch (...) {
    close(lock_);
    throw;
  }
}

FindingsDirectory::~FindingsDirectory() { close(lock_); }

// A lock of this process, which those that it forks do not hold.
void FindingsDirectory::lock() {
  const fs::path file = path_ / kLock;
  lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (lock_ < 0) cannot_use(path_, std::strerror(errno));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  for (auto waited = std::chrono::milliseconds(0); fcntl(lock_, F_SETLK, &whole) != 0; waited += kPause) {
    const int why = errno;
    if ((why == EACCES || why == EAGAIN) && waited < kPatience) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    close(lock_);
    if (why != EACCES && why != EAGAIN) cannot_use(path_, std::strerror(why));
    throw std::runtime_error(
        fmt::format("--findings: {}: another assay fuzz is using it; end that, or name another directory",
                    path_.string()));
  }
}

void FindingsDirectory::read(std::optional<std::uint64_t> seed) {
  const fs::path file = path_ / kState;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) {
    state_.seed = seed ? *seed : std::random_device{}() % kDrawnSeeds;
    return;
  }
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error(
        fmt::format("{}: cannot be read as the state of an earlier assay fuzz: {}; remove it to start over, "
                    "or name another directory "
                    "with --findings",
                    file.string(), why));
  };
  if (!fs::is_regular_file(file, error)) refuse("it is not a file");
  if (fs::file_size(file, error) > kLargestState) refuse("it is too large");
  try {
    state_ = state_from_text(metal::content_of(file));
  } catch (const std::invalid_argument& why) {
    refuse(why.what());
  }
  if (seed && *seed != state_.seed) {
    throw std::runtime_error(
        fmt::format("--seed {}: {} was begun with seed {}; leave --seed out, or name another directory with "
                    "--findings",
                    *seed, path_.string(), state_.seed));
  }
  std::erase_if(state_.findings, [&](const auto& one) { return !fs::exists(file_of(one), error); });
}

fs::path FindingsDirectory::file_of(const KeptFinding& finding) const { return path_ / finding.file_name(); }

void FindingsDirectory::write(const KeptFinding& finding) const {
  write_whole(file_of(finding), finding.file_text());
}

void FindingsDirectory::save() const { write_whole(path_ / kState, to_text(state_)); }

}  // namespace assay::fuzz
