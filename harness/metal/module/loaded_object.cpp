#include "harness/metal/module/loaded_object.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "harness/metal/compile/errors.hpp"

namespace assay::metal {
namespace {

[[noreturn]] void fail(const std::string& why) {
  throw ToolchainError("cannot load a compiled kernel: " + why);
}

int sealed_memory(const std::string& bytes) {
  const int fd = memfd_create("assay-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) fail(std::strerror(errno));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int why = errno;
      close(fd);
      fail(std::strerror(why));
    }
    done += static_cast<std::size_t>(n);
  }
  if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const int why = errno;
    close(fd);
    fail(std::strerror(why));
  }
  return fd;
}

// The loader takes a name that it has met for the object that had it then, and descriptors' numbers come
// back. So no two names are spelled alike: the bits of a number, as `/` and `/.`.
std::string new_name_of(int fd) {
  static std::atomic<std::uint64_t> count{0};
  std::string name = "/proc/self/fd";
  for (std::uint64_t rest = ++count; rest != 0; rest >>= 1) name += (rest & 1) != 0 ? "/" : "/.";
  return fmt::format("{}/{}", name, fd);
}

}  // namespace

LoadedObject::LoadedObject(std::string bytes) : bytes_(std::move(bytes)) {
  const int fd = sealed_memory(bytes_);
  handle_ = dlopen(new_name_of(fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const why = handle_ == nullptr ? dlerror() : nullptr;
  const std::string message = why != nullptr ? why : "";
  close(fd);
  if (handle_ == nullptr) fail(message);
}

LoadedObject::~LoadedObject() { dlclose(handle_); }

}  // namespace assay::metal
