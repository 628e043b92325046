// `assay fuzz` on kernels with several faults: what it finds, what it keeps, and that nothing is lost when it
// is ended, in whichever way.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <thread>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

// By the sizes of a case: two places out of bounds, and results that are wrong. All of it quick.
constexpr const char* kFaults =
    "  if (M % 4 == 2) C[M * N + 999999] = 1;\n"
    "  if (N % 4 == 2) C[M * N + 777777] = 1;\n"
    "  if (i == 0) C[0] = 0;";
// All threads write one element.
constexpr const char* kRace = "  C[0] = half(i);";

class Fuzz : public testing::Test {
 protected:
  Fuzz() {
    write("faults", kFaults);
    write("race", kRace);
    scratch_.write("m.toml", manifest_of("faults.metal", "faults") + manifest_of("race.metal", "race"));
  }

  void write(const std::string& name, const std::string& body) const {
    std::string text = kernel_text(body);
    const std::string generic = "void k(";
    text.replace(text.find(generic), generic.size(), "void " + name + "(");
    scratch_.write(name + ".metal", text);
  }

  // An entry of that name whose kernel is right.
  std::string sound_entry(const std::string& name) const {
    fs::copy(kSource / "kernels", scratch_ / "kernels", fs::copy_options::recursive);
    const std::string manifest = read(kSource / "kernels/kernels.toml");
    const auto at = manifest.find("name = \"dequant_fp4\""), begin = manifest.rfind("[[kernel]]", at);
    std::string sound = manifest.substr(begin, manifest.find("[[kernel]]", at) - begin);
    sound.replace(sound.find("\"dequant_fp4\""), 13, "\"" + name + "\"\nfunction = \"dequant_fp4\"");
    const std::string source = "source = \"";
    return sound.insert(sound.find(source) + source.size(), "kernels/");
  }

  std::vector<std::string> command(const std::string& findings, std::vector<std::string> more) const {
    std::vector<std::string> all = {kProgram.string(), "fuzz",
                                    "--manifest",      (scratch_ / "m.toml").string(),
                                    "--findings",      (scratch_ / findings).string(),
                                    "--seed",          "5"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  metal::ProcessResult fuzz(const std::string& findings, const std::vector<std::string>& more) const {
    return metal::run_process(command(findings, more));
  }

  // Starts it in an environment by which its processes can be told.
  pid_t start(const std::string& findings, const std::vector<std::string>& more) const {
    const auto arguments = command(findings, more);
    std::vector<char*> raw;
    for (const auto& one : arguments) raw.push_back(const_cast<char*>(one.c_str()));
    raw.push_back(nullptr);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    setenv("ASSAY_FUZZ_TEST", scratch_.root().c_str(), 1);
    if (std::freopen((scratch_ / "out").c_str(), "w", stdout) == nullptr) _exit(126);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execv(raw[0], raw.data());
    _exit(127);
  }

  std::size_t running() const { return processes_with("ASSAY_FUZZ_TEST=" + scratch_.root().string()).size(); }

  // Name and content of the findings.
  std::map<std::string, std::string> findings(const std::string& directory) const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(scratch_ / directory)) {
      if (entry.path().extension() != ".txt") continue;
      all[entry.path().filename()] =
          std::regex_replace(read(entry.path()), std::regex("at address 0x[0-9a-f]+"), "at an address");
    }
    return all;
  }

  nlohmann::json state(const std::string& directory) const {
    return nlohmann::json::parse(read(scratch_ / directory / "state.json"));
  }

  // Cases that are behind each kernel and mode.
  std::map<std::string, std::uint64_t> done(const std::string& directory) const {
    std::map<std::string, std::uint64_t> all;
    const auto kept = state(directory);
    for (const auto& one : kept.at("positions"))
      all[one.at("kernel").get<std::string>() + one.at("mode").get<std::string>()] =
          20 * one.at("round").get<std::uint64_t>() + one.at("done").get<std::uint64_t>();
    return all;
  }

  // The files that a run has said to have kept.
  static std::vector<std::string> announced(const std::string& out) {
    std::vector<std::string> files;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("new: ") && line.ends_with(".txt"))
        files.push_back(line.substr(line.rfind(": ") + 2));
    }
    return files;
  }

  Scratch scratch_;
};

// The clock may stop it anywhere; twenty kills at random moments come to what one run without any comes to,
// count by count and case by case. A run that has ended before its kill is held against it too, and the next
// begins anew.
TEST_F(Fuzz, KilledAtTwentyRandomMomentsLosesNoFinding) {
  const std::vector<std::string> rounds = {"--rounds", "3"};
  const auto undisturbed = fuzz("undisturbed", rounds);
  ASSERT_EQ(undisturbed.exit_code, 1) << undisturbed.out << undisturbed.err;
  ASSERT_GE(findings("undisturbed").size(), 6u) << undisturbed.out;

  std::string disturbed = "disturbed";
  const auto expect_all = [&] {
    EXPECT_EQ(findings(disturbed), findings("undisturbed"));
    EXPECT_EQ(state(disturbed).at("cases"), state("undisturbed").at("cases"));
    EXPECT_EQ(done(disturbed), done("undisturbed"));
  };
  std::mt19937_64 random(20);
  std::vector<std::string> told;
  std::map<std::string, std::uint64_t> before;
  int ended = 0;
  for (int killed = 0; killed < 20;) {
    const pid_t pid = start(disturbed, rounds);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1000));
    kill(pid, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    for (int i = 0; i < 500 && running() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_EQ(running(), 0u);
    for (const auto& file : announced(read(scratch_ / "out"))) told.push_back(file);
    for (const auto& file : told) EXPECT_TRUE(fs::is_regular_file(file)) << file;
    if (!WIFSIGNALED(status)) {
      expect_all();
      before.clear();
      disturbed = fmt::format("disturbed-{}", ++ended);
      ASSERT_LT(ended, 200) << "whole runs end before they are killed";
      continue;
    }
    ++killed;
    if (!fs::exists(scratch_ / disturbed / "state.json")) continue;  // killed before there was one
    const auto now = done(disturbed);                                // a state that can be read
    for (const auto& [target, cases] : before) EXPECT_GE(now.at(target), cases) << target;
    before = now;
  }
  RecordProperty("runs_ended", ended);
  const auto last = fuzz(disturbed, rounds);
  EXPECT_EQ(last.exit_code, 1) << last.out << last.err;
  expect_all();
}

TEST_F(Fuzz, TellsCausesApartAndReplaysThem) {
  const auto result = fuzz("f", {"--rounds", "4"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  const auto all = findings("f");
  EXPECT_EQ(announced(result.out).size(), all.size()) << result.out;
  EXPECT_THAT(result.out, HasSubstr("faults, checked: out of bounds at "));
  std::size_t places = 0;
  for (const auto& [name, text] : all) {
    const auto replayed = assay({"replay", (scratch_ / "f" / name).string()});
    EXPECT_EQ(replayed.exit_code, 1) << text << replayed.out << replayed.err;
    places += name.starts_with("faults-checked") && text.find("out of bounds at") != std::string::npos;
  }
  EXPECT_EQ(places, 2u) << result.out;
  const auto again = fuzz("f", {"--rounds", "6"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(announced(again.out).size() + all.size(), findings("f").size()) << again.out;
  EXPECT_THAT(again.out, HasSubstr(fmt::format("{} from earlier runs", all.size())));
}

TEST_F(Fuzz, InterruptedEndsWithWhatItHasCome) {
  for (const int number : {SIGINT, SIGTERM}) {
    const pid_t pid = start("f", {});
    for (int i = 0; i < 3000 && announced(read(scratch_ / "out")).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(pid, number);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    EXPECT_THAT(read(scratch_ / "out"), HasSubstr(" a second: 2 kernels x 5 modes, "));
    EXPECT_EQ(running(), 0u);
    std::uint64_t sum = 0;
    for (const auto& [target, cases] : done("f")) sum += cases;
    EXPECT_EQ(state("f").at("cases").get<std::uint64_t>(), sum);
    fs::remove_all(scratch_ / "f");
    fs::remove(scratch_ / "out");
  }
}

// What ends its process cannot be shrunk there.
TEST_F(Fuzz, ACrashIsShrunkAndWhatIsBehindItFound) {
  write("race",
        "  if (M % 4 == 3) *(device half*)(ulong(i) * 8 + 64) = 0;\n"
        "  if (i == 0) C[0] = 0;");
  const auto result = fuzz("f", {"--rounds", "3", "race"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  std::string crash, wrong;
  for (const auto& [name, text] : findings("f")) {
    if (!name.starts_with("race-fast")) continue;
    (text.find("crash: ") != std::string::npos ? crash : wrong) += text;
  }
  EXPECT_THAT(crash, HasSubstr("shrunk in ")) << result.out;
  EXPECT_THAT(crash, HasSubstr("K=1 M=7 N=1 ")) << result.out;
  EXPECT_THAT(wrong, HasSubstr("wrong result: elements of C are ")) << result.out;
}

TEST_F(Fuzz, ASecondOneIsRefused) {
  const pid_t pid = start("f", {});
  for (int i = 0; i < 3000 && !fs::exists(scratch_ / "f/state.json"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto second = fuzz("f", {"--time", "1"});
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(second.exit_code, 2) << second.out;
  EXPECT_THAT(second.err, HasSubstr("another assay fuzz is using it"));
}

TEST_F(Fuzz, FindingsOfAnEarlierTextStayAndAreToldApart) {
  const auto first = fuzz("f", {"--rounds", "1", "race"});
  EXPECT_EQ(first.exit_code, 1) << first.out << first.err;
  const auto found = findings("f");
  ASSERT_FALSE(found.empty());
  write("race", std::string(kRace) + "\n// another text");
  const auto second = fuzz("f", {"--rounds", "2", "race"});
  EXPECT_THAT(second.out, HasSubstr("again, in the text as it is now: race, checked: race at "));
  EXPECT_THAT(second.out, Not(HasSubstr("did not come up again")));
  EXPECT_EQ(findings("f").size(), found.size()) << second.out;
  EXPECT_NE(findings("f"), found);

  // Now it says nothing of what it found: the kernel is another.
  scratch_.write("m.toml", sound_entry("race"));
  const auto third = fuzz("f", {"--rounds", "4", "race"});
  EXPECT_EQ(third.exit_code, 0) << third.out << third.err;
  EXPECT_THAT(third.out, HasSubstr("to earlier texts, and did not come up again"));
  EXPECT_EQ(findings("f").size(), found.size());
}

TEST_F(Fuzz, KernelsThatCannotBeRunAreLeftOut) {
  scratch_.write("race.metal", "kernel void race() { this is no Metal }");
  const auto both = fuzz("f", {"--rounds", "1"});
  EXPECT_EQ(both.exit_code, 1) << both.out << both.err;
  EXPECT_THAT(both.out, HasSubstr("left out: race, checked: error: "));
  const auto none = fuzz("g", {"--rounds", "1", "race"});
  EXPECT_EQ(none.exit_code, 2) << none.out << none.err;
  scratch_.write("m.toml", sound_entry("sound") + manifest_of("race.metal", "race"));
  const auto one = fuzz("h", {"--rounds", "1"});
  EXPECT_EQ(one.exit_code, 2) << one.out << one.err;
}

TEST_F(Fuzz, EndsWhenItsTimeIsUp) {
  fuzz("compiled", {"--rounds", "1"});  // so that the time that follows goes into cases
  const auto begin = std::chrono::steady_clock::now();
  const auto result = fuzz("f", {"--time", "2s"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace assay::end_to_end
