// Runs that are ended at a random moment, or find no room: nothing of ours runs afterwards, the next start
// leaves no scratch, and the next run gives what an undisturbed one gives.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <random>
#include <regex>
#include <thread>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::IsEmpty;

enum class How { killed, interrupted, terminated, no_room };

struct Disturbance {
  const char* command;
  How how;
  unsigned rounds;
};

std::string name_of(How how) {
  switch (how) {
    case How::killed:
      return "Killed";
    case How::interrupted:
      return "Interrupted";
    case How::terminated:
      return "Terminated";
    case How::no_room:
      return "NoRoom";
  }
  return "";
}

std::ostream& operator<<(std::ostream& out, const Disturbance& one) {
  return out << one.command << name_of(one.how);
}

class Disturbed : public testing::TestWithParam<Disturbance> {
 protected:
  Disturbed() {
    fs::create_directories(scratch_ / "tmp");
    fs::create_directories(cache());
    share_headers();
  }

  // Precompiled headers take longest to make, and are the same for all tests.
  void share_headers() const {
    const fs::path shared = metal::toolchain().cache;
    if (GetParam().command != std::string("golden")) assay({"mutate", "dequant_u4", "--sample", "1"});
    for (const auto& entry : fs::directory_iterator(shared)) {
      const std::string name = entry.path().filename();
      std::error_code elsewhere;
      if (!name.starts_with("prelude-")) continue;
      fs::create_hard_link(entry.path(), cache() / name, elsewhere);
      if (elsewhere) fs::copy(entry.path(), cache() / name);
    }
  }

  fs::path cache() const { return scratch_ / "cache"; }

  std::vector<std::string> command() const {
    const std::string manifest = kSource / "kernels/kernels.toml", name = GetParam().command;
    const std::string program = kProgram.string();
    if (name == "verify")
      return {program,   "verify", "dequant_u4", "--manifest", manifest,
              "--cases", "60",     "--numerics", "strict"};
    if (name == "mutate") return {program, "mutate", "dequant_u4", "--manifest", manifest, "--sample", "3"};
    return {program,
            "golden",
            "make",
            "--operation",
            "gemm_u4",
            "--seed",
            "7",
            "--cases",
            "12",
            "--out",
            (scratch_ / "set").string()};
  }

  // Starts the command in an environment by which its processes can be told.
  pid_t start(std::uint64_t room) const {
    const auto arguments = command();
    std::vector<char*> raw;
    for (const auto& one : arguments) raw.push_back(const_cast<char*>(one.c_str()));
    raw.push_back(nullptr);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    setenv("ASSAY_CACHE_DIR", cache().c_str(), 1);
    setenv("TMPDIR", (scratch_ / "tmp").c_str(), 1);
    const int out = open((scratch_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    if (room != 0) {  // files end where a full disk would end them
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{room, room};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    execv(raw[0], raw.data());
    _exit(127);
  }

  // What a run gives, without what depends on the machine, or on how many mutants a run that was ended had
  // judged before: their verdicts are kept.
  std::string outcome(int status) const {
    std::string text = std::regex_replace(read(scratch_ / "out"),
                                          std::regex(" *[0-9.]+( s\\b|\n|$)| *[0-9]+ a minute"), "#$1");
    text = std::regex_replace(text, std::regex("[0-9]+ mutants? (were |was )?judged [^\n]*\n"), "");
    const bool golden = GetParam().command == std::string("golden");
    if (golden) text.clear();  // files that were whole are kept, and not named again
    text += "status " + std::to_string(status);
    for (int i = 0; golden && i < 12; ++i)
      text += read(scratch_ / fmt::format("set/gemm_u4-7-{:04}.safetensors", i));
    if (golden) text += read(scratch_ / "set/gemm_u4-7.index.json");
    return text;
  }

  std::string run() const {
    const pid_t pid = start(0);
    int status = 0;
    waitpid(pid, &status, 0);
    return outcome(status);
  }

  std::vector<std::string> leftovers() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(scratch_ / "tmp"))
      found.push_back(entry.path().filename());
    for (const auto& entry : fs::directory_iterator(cache())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("run-") || name.find(".so.") != std::string::npos) found.push_back(name);
    }
    return found;
  }

  // What a run has left for the next one; the precompiled headers stay.
  void forget() const {
    fs::remove_all(cache() / "mutation");
    for (const auto& entry : fs::directory_iterator(cache())) {
      if (entry.path().extension() == ".so") fs::remove(entry.path());
    }
    fs::remove_all(scratch_ / "set");
  }

  void disturb(unsigned round, const std::string& undisturbed) const;

  Scratch scratch_;
};

void Disturbed::disturb(unsigned round, const std::string& undisturbed) const {
  const auto& [name, how, rounds] = GetParam();
  std::mt19937_64 random(std::hash<std::string>()(fmt::format("{}{}{}", name, name_of(how), round)));
  const bool full = how == How::no_room;
  const std::uint64_t room = full ? 1 + random() % (std::uint64_t{1} << (8 + random() % 10)) : 0;
  const pid_t pid = start(room);
  int status = 0;
  if (!full) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(random() % (name == std::string("golden") ? 60 : 1200)));
    kill(pid, how == How::killed ? SIGKILL : how == How::interrupted ? SIGINT : SIGTERM);
  }
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), how == How::killed ? SIGKILL : how == How::interrupted ? SIGINT : SIGTERM);
  } else if (full && WEXITSTATUS(status) != 0) {
    EXPECT_EQ(WEXITSTATUS(status), 2) << read(scratch_ / "out");
  } else if (WEXITSTATUS(status) == 0) {  // there was time, or room, enough: nothing is left to judge
    EXPECT_EQ(outcome(status), undisturbed);
    fs::remove_all(cache() / "mutation");
  }
  // Whoever is killed takes its processes along, as fast as the system tells them.
  const std::string mark = "ASSAY_CACHE_DIR=" + cache().string();
  for (int i = 0; how == How::killed && i < 300 && !processes_with(mark).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(processes_with(mark), IsEmpty());
  if (how != How::killed) {
    EXPECT_THAT(leftovers(), IsEmpty());
  }

  EXPECT_EQ(run(), undisturbed);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Disturbed, LeavesNothingBehindAndTheNextRunIsWhole) {
  const std::string undisturbed = run();
  ASSERT_TRUE(undisturbed.find("status 0") != std::string::npos) << undisturbed;
  for (unsigned round = 0; round < GetParam().rounds; ++round) {
    SCOPED_TRACE(round);
    forget();
    disturb(round, undisturbed);
  }
}

// Fifty moments and more.
std::vector<Disturbance> disturbances() {
  std::vector<Disturbance> all;
  for (const char* command : {"verify", "mutate", "golden"}) {
    for (const How how : {How::killed, How::interrupted, How::terminated, How::no_room}) {
      all.push_back({command, how, command == std::string("golden") ? 5U : 4U});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Runs, Disturbed, testing::ValuesIn(disturbances()),
                         [](const auto& info) { return testing::PrintToString(info.param); });

}  // namespace
}  // namespace assay::end_to_end
