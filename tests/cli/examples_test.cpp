// Every command's help ends with command lines that the program takes, as a shell would hand them over.
#include "cli/examples.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completion.hpp"
#include "harness/run/replay_file.hpp"

namespace assay::cli {
namespace {

// As a shell splits it: quotes, and what goes to a file.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  words.erase(std::find(words.begin(), words.end(), ">"), words.end());
  return words;
}

std::optional<Arguments> parsed(const std::vector<std::string>& words) {
  std::vector<const char*> raw;
  raw.reserve(words.size());
  for (const auto& word : words) raw.push_back(word.c_str());
  return parse(static_cast<int>(raw.size()), raw.data());
}

// Commands that do something, by their whole name.
void list(const CommandWords& command, const std::string& path, std::vector<std::string>& names) {
  const bool group = command.name == "golden" || command.name.empty();
  if (!group) names.push_back(path);
  if (command.name == "cache") return;  // `clear` is among its examples
  for (const auto& one : command.commands) list(one, path.empty() ? one.name : path + " " + one.name, names);
}

TEST(Examples, OfEveryCommandAreThere) {
  std::vector<std::string> names, known;
  list(command_words(), "", names);
  for (const auto& one : examples()) known.push_back(one.command);
  EXPECT_THAT(known, testing::UnorderedElementsAreArray(names));
}

TEST(Examples, AreTwoToFourCommandLinesThatAreTaken) {
  for (const auto& [command, lines] : examples()) {
    EXPECT_GE(lines.size(), 2u) << command;
    EXPECT_LE(lines.size(), 4u) << command;
    bool own = false;
    for (const auto& line : lines) {
      const auto words = split(line);
      ASSERT_EQ(words.at(0), "assay") << line;
      EXPECT_NO_THROW(EXPECT_TRUE(parsed(words).has_value()) << line) << line;
      own |= line.starts_with("assay " + command);
    }
    EXPECT_TRUE(own) << command;
  }
}

// One without a manifest was refused.
TEST(Examples, LinesToReplayAreWhole) {
  std::size_t whole = 0;
  for (const auto& [command, lines] : examples()) {
    for (const auto& line : lines) {
      const auto words = split(line);
      if (command != "replay" || !words.at(2).starts_with("kernel=")) continue;
      EXPECT_EQ(run::read_replay_argument(words[2]).manifest, "kernels/kernels.toml");
      ++whole;
    }
  }
  EXPECT_GT(whole, 0u);
}

TEST(Examples, EndTheHelp) {
  for (const auto& [command, lines] : examples()) {
    auto words = split("assay " + command + " --help");
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parsed(words));
    std::fflush(stdout);
    const std::string help = testing::internal::GetCapturedStdout();
    EXPECT_THAT(help, testing::HasSubstr("Examples:\n  " + lines.front() + "\n")) << command;
    EXPECT_THAT(help, testing::EndsWith(lines.back() + "\n")) << command;
    EXPECT_THAT(help, testing::Not(testing::HasSubstr("SUBCOMMAND --help"))) << "of the program: " << command;
  }
}

TEST(Talk, IsQuietOrVerboseAndNotBoth) {
  EXPECT_EQ(std::get<VerifyArguments>(*parsed({"assay", "verify", "-q"})).talk, Talk::quiet);
  EXPECT_EQ(std::get<MutateArguments>(*parsed({"assay", "mutate", "--verbose"})).talk, Talk::verbose);
  EXPECT_EQ(std::get<FuzzArguments>(*parsed({"assay", "fuzz"})).talk, Talk::normal);
  EXPECT_THROW(parsed({"assay", "verify", "-q", "-v"}), std::invalid_argument);
  EXPECT_THROW(parsed({"assay", "merge", "a.json", "-v"}), std::invalid_argument);
}

}  // namespace
}  // namespace assay::cli
