// A machine that offers nothing to confine with: said once, and kernels are judged all the same.
#include <gmock/gmock.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

// For this process and those that it starts, the kernel is one that has neither filters nor Landlock.
void take_confinement_away() {
  const auto filter = seccomp_init(SCMP_ACT_ALLOW);
  for (const int call : {SYS_seccomp, SYS_landlock_create_ruleset})
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), call, 0);
  seccomp_load(filter);
  seccomp_release(filter);
}

TEST(Unconfined, IsSaidOnceAndKernelsAreJudged) {
  const Scratch scratch;
  const pid_t pid = fork();
  if (pid == 0) {
    take_confinement_away();
    const auto result = assay({"verify", "dequant_u4", "dequant_s4", "--numerics", "strict"});
    scratch.write("out", result.out);
    scratch.write("err", result.err);
    _exit(result.exit_code);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  const std::string said = read(scratch / "err");
  EXPECT_EQ(WEXITSTATUS(status), 0) << read(scratch / "out") << said;
  EXPECT_THAT(read(scratch / "out"), testing::HasSubstr("2 of 2 kernels pass"));
  EXPECT_THAT(said,
              testing::StartsWith("assay: this machine offers no filters of system calls (seccomp) and no "
                                  "Landlock"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

}  // namespace
}  // namespace assay::end_to_end
