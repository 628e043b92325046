#include "harness/metal/toolchain.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "harness/metal/compiler_identity.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/own_folder.hpp"
#include "harness/metal/scratch.hpp"
#include "harness/metal/stdlib_files.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

[[noreturn]] void cannot_write(const fs::path& directory, const std::string& why) {
  throw ToolchainError(
      fmt::format("cannot write to the kernel cache {}: {}; set ASSAY_CACHE_DIR to a directory that "
                  "can be written",
                  directory.string(), why));
}

// The headers travel inside the program, so that an installed one needs no data directory. Compared, not just
// looked for: a full disk leaves files cut short.
fs::path unpack_stdlib(const fs::path& cache) {
  std::string all;
  for (const auto& file : stdlib_files())
    all += std::string(file.name) + '\0' + std::string(file.text) + '\0';
  auto directory = cache / ("stdlib-" + content_hash(all));
  for (const auto& file : stdlib_files()) {
    const auto path = directory / file.name;
    if (content_of(path) == file.text && fs::exists(path)) continue;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) cannot_write(cache, failed.message());
    write_atomically(path, file.text, scratch_root(cache));
  }
  return directory;
}

}  // namespace

fs::path cache_directory() {
  if (const auto own = environment("ASSAY_CACHE_DIR"); !own.empty()) return own;
  if (const auto xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) return fs::path(xdg) / "assay";
  if (const auto home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache" / "assay";
  return fs::temp_directory_path() / fmt::format("assay-cache-{}", getuid());
}

Toolchain find_toolchain(const fs::path& cache) {
  Toolchain found;
  found.compiler = environment("ASSAY_CXX");
  if (found.compiler.empty()) found.compiler = "g++";
  found.clang = environment("ASSAY_COMPILER");
  std::error_code failed;
  found.cache = fs::absolute(cache, failed).lexically_normal();
  if (fs::create_directories(found.cache, failed) && !failed)
    fs::permissions(found.cache, fs::perms::owner_all, failed);
  if (failed) cannot_write(found.cache, failed.message());
  refuse_foreign_hands(found.cache);
  if (access(found.cache.c_str(), W_OK | X_OK) != 0) cannot_write(found.cache, std::strerror(errno));
  (void)scratch_root(found.cache);  // from now on nobody clears what this process reads there
  std::vector<std::string> readers = {"clang-14", "clang"};
  if (const char* own = std::getenv("ASSAY_CLANG"))
    readers = *own == '\0' ? std::vector<std::string>() : std::vector<std::string>{own};
  auto identity = identity_of(found.compiler, readers, found.cache);
  found.identity = std::move(identity.text);
  found.second_reader = std::move(identity.second_reader);
  if (!found.clang.empty()) found.identity += content_hash(content_of(found.clang));
  found.stdlib = unpack_stdlib(found.cache);
  return found;
}

const Toolchain& toolchain() {
  static const Toolchain found = find_toolchain(cache_directory());
  return found;
}

std::string_view name_of(Numerics numerics) {
  switch (numerics) {
    case Numerics::strict:
      return "strict";
    case Numerics::contracted:
      return "contracted";
    case Numerics::reassociated:
      return "reassociated";
    case Numerics::approximate:
      return "approximate";
    case Numerics::relaxed:
      return "relaxed";
    case Numerics::flushed:
      return "flushed";
  }
  return "?";
}

std::vector<std::string> compile_flags(Flavour flavour, Numerics numerics) {
  std::vector<std::string> flags = {
      "-std=gnu++17", "-Ulinux", "-Uunix", "-x", "c++", "-fPIC", "-march=native",
      // Metal has no double, and no floating-point exceptions.
      "-fsingle-precision-constant", "-fno-math-errno", "-fno-trapping-math",
      // What Metal programs do and C++ leaves undefined.
      "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-fno-exceptions", "-fno-rtti",
      // Loops end where their text says: g++ would cut those that leave an array or search for ever, and the
      // fault with them.
      "-fno-finite-loops", "-fno-aggressive-loop-optimizations",
      // A division by zero has a value, and is no end (harness/simulator/traps.hpp).
      "-fno-isolate-erroneous-paths-dereference", "-fno-asynchronous-unwind-tables", "-fno-stack-protector",
      "-fno-plt",
      // A frame that is larger than what is left of a stack meets the page that guards it, not another stack.
      "-fstack-clash-protection",
      // What nobody has given a value holds the same in all flavours, so that no text can tell them apart.
      "-ftrivial-auto-var-init=pattern",
      // Who calls whom, and where: call_graph.hpp.
      "-fcallgraph-info", "-fvisibility=hidden", "-nostdinc", "-nostdinc++", "-w",
      "-fdiagnostics-color=never", "-fno-diagnostics-show-caret", "-fmax-errors=20"};
  switch (numerics) {
    case Numerics::strict:
      flags.push_back("-ffp-contract=off");
      break;
    case Numerics::contracted:
      // Of floats, where the processor has the instruction; of halves see contraction.hpp.
      flags.insert(flags.end(), {"-ffp-contract=fast", "-DASSAY_CONTRACTED=1"});
      break;
    case Numerics::reassociated:
      // After inlining, of halves too: g++ puts constants last. Infinities and NaN keep their meaning, as
      // under Metal's math_mode(relaxed): cases have them, and math_mode(fast) promises nothing of those.
      flags.insert(flags.end(), {"-ffp-contract=off", "-fassociative-math", "-fno-signed-zeros",
                                 "-DASSAY_REASSOCIATED=1"});
      break;
    case Numerics::relaxed:
      // As Metal's math_mode(relaxed), which keeps infinities and NaN too; halves are contracted as far as
      // g++ knows how.
      flags.insert(flags.end(), {"-ffp-contract=fast", "-fassociative-math", "-freciprocal-math",
                                 "-fno-signed-zeros", "-DASSAY_REASSOCIATED=1"});
      break;
    case Numerics::approximate:
      // Of a text that asks for nothing of it (LibraryParts::granted), the same as strict.
      flags.push_back("-ffp-contract=off");
      break;
    case Numerics::flushed:
      // Floats are flushed by the processor, while the kernel runs (harness/simulator/flushing.hpp).
      flags.insert(flags.end(), {"-ffp-contract=off", "-DASSAY_FLUSHED=1"});
      break;
  }
#if defined(__x86_64__)
  // With AVX512-FP16, g++ would keep halves in registers between operations; without, each one rounds.
  // Copies in 16-byte pieces: g++ 12 forgets to clean the upper halves of wide registers behind some, and
  // every SSE instruction of the simulator then costs a hundred cycles.
  // And vectors may lie at any address that suits their elements, as on GPUs: the assembler takes moves that
  // do not insist on more.
  flags.insert(flags.end(), {"-mno-avx512fp16", "-fexcess-precision=16", "-fcf-protection=none",
                             "-mmove-max=128", "-mstore-max=128", "-Wa,-muse-unaligned-vector-move"});
#endif
  if (flavour == Flavour::fast) {
    // Signed sums wrap around here; checked code says where they do. What no type of integers holds, and
    // shifts by the width, lead to a trap: without data, which would hold columns of the text.
    flags.insert(flags.end(), {"-O3", "-g0", "-fwrapv", "-DASSAY_INLINE_SWITCH=1"});
#if defined(__x86_64__)
    flags.insert(flags.end(),
                 {"-fsanitize=shift-exponent,float-cast-overflow", "-fsanitize-undefined-trap-on-error"});
#endif
  } else {
    // The checker's hooks stand in for ThreadSanitizer's library. g++ instruments before it vectorises, so
    // every access arrives with the size it has in the text. bounds-strict: plain `bounds` takes an array at
    // the end of a struct for one without an end. -ftrapv: sums and products of signed integers that may
    // overflow call functions of assay/hooks.h. These wrap around as in fast code, and g++ takes -ftrapv for
    // a promise that nobody looks at such a sum: what reasons from ranges of values is off. Where variables
    // lie nobody asks: finding out is a quarter of the compilation.
    flags.insert(flags.end(), {"-O2", "-g1", "-gdwarf-4", "-fno-var-tracking", "-DASSAY_CHECKED=1",
                               "-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0",
                               "-fsanitize=alignment,bounds-strict,shift-exponent,float-cast-overflow",
                               "-ftrapv", "-fno-tree-vrp", "-fno-thread-jumps", "-fno-tree-dominator-opts"});
    // Of a function that is called rather than inlined, g++ announces no load of what it is passed by value.
    // Limits hold for what ASSAY_IN_ONE asks for too.
    flags.insert(flags.end(),
                 {"--param", "max-inline-insns-auto=1000000", "--param", "max-inline-insns-single=1000000"});
    // A variable that is watched is loaded where the text reads it, not ahead of the loop around it.
    if (flavour == Flavour::watched)
      flags.insert(flags.end(), {"-fno-tree-pre", "-fno-tree-loop-im", "-fno-code-hoisting"});
  }
  return flags;
}

std::string content_hash(std::string_view text) {
  const auto hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string content_of(const fs::path& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string content;
  struct stat found {};
  const bool regular = fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
  std::size_t have = 0;
  for (ssize_t n = regular ? 1 : 0; n != 0;) {  // files of /proc do not know their size
    content.resize(std::max(have + (1 << 16), static_cast<std::size_t>(found.st_size) + 1));
    n = read(fd, content.data() + have, content.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    have += static_cast<std::size_t>(n);
  }
  close(fd);
  content.resize(have);
  return content;
}

void write_atomically(const fs::path& path, std::string_view content, const fs::path& scratch) {
  static std::atomic<unsigned> counter{0};
  const fs::path temporary = (scratch.empty() ? path.parent_path() : scratch) /
                             fmt::format("{}.{}.{}", path.filename().string(), getpid(), counter++);
  std::error_code failed;
  fs::remove(temporary, failed);  // of a process that was killed, and had this one's number
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  int why = fd < 0 ? errno : 0;
  for (std::size_t done = 0; why == 0 && done < content.size();) {
    const ssize_t n = write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno != EINTR) why = errno;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  if (fd >= 0 && close(fd) != 0 && why == 0) why = errno;
  if (why == 0 && rename(temporary.c_str(), path.c_str()) != 0) why = errno;
  if (why == 0) return;
  fs::remove(temporary, failed);
  throw ToolchainError(
      fmt::format("cannot write {}: {}; make room, or set ASSAY_CACHE_DIR to another directory",
                  path.string(), std::strerror(why)));
}

}  // namespace assay::metal
