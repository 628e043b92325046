#include "harness/report/page_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "harness/report/json_report.hpp"
#include "harness/report/page/page.hpp"
#include "harness/report/profile_json.hpp"
#include "harness/report/read_report.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kCommands = {"verify", "mutate", "profile"};

fs::path file_of(const std::string& directory, std::string_view command, std::string_view kind) {
  return fs::path(directory) / fmt::format("{}.{}", command, kind);
}

void write_file(const fs::path& path, const std::string& text) {
  assay::replace_file(path, std::array{std::string_view(text)});
}

void refuse_without_page(const std::string& directory, std::string_view command) {
  if (std::find(kCommands.begin(), kCommands.end(), command) == kCommands.end())
    throw std::runtime_error(
        fmt::format("{}: `assay {}` has no page; leave --report out", directory, command));
}

page::Surroundings surroundings_of(const std::string& directory, std::string_view command) {
  page::Surroundings around;
  around.written = fmt::format("{:%F %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
  around.json = fmt::format("{}.json", command);
  for (const auto other : kCommands) {
    std::error_code failed;
    if (other != command && fs::is_regular_file(file_of(directory, other, "html"), failed))
      around.links.push_back({fmt::format("{}.html", other), fmt::format("assay {}", other)});
  }
  return around;
}

// What `assay mutate` has left in the directory, if it is of the same kernels and texts. Anybody may have
// written it.
void add_scores(const std::string& directory, const Results& results, page::Surroundings& around) {
  const auto file = file_of(directory, "mutate", "json");
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return;
  try {
    const Results counted = read_report(file);
    const auto* mutated = std::get_if<Mutated>(&counted.found);
    if (mutated == nullptr) throw ReportError("mutate.json: is of another command");
    if (counted.run.content != results.run.content || counted.run.chosen != results.run.chosen)
      throw ReportError(
          "mutate.json is of other kernels or texts than this run: its mutants are not shown here.");
    for (const auto& kernel : mutated->kernels) {
      const auto totals = kernel.totals();
      if (kernel.error.empty() && totals.faulty() > 0)
        around.scores[kernel.name] = {totals.killed, totals.faulty(), "mutate.html"};
    }
  } catch (const ReportError& other) {
    around.remark = other.what();
  }
}

}  // namespace

void check_page(const std::string& directory, std::string_view command) {
  refuse_without_page(directory, command);
  std::error_code failed;
  if (fs::exists(directory, failed) && !fs::is_directory(directory, failed))
    throw std::runtime_error(fmt::format("{}: is a file; --report takes a directory", directory));
  fs::create_directories(directory, failed);
  if (failed) throw std::runtime_error(fmt::format("{}: cannot be made: {}", directory, failed.message()));
  for (const char* kind : {"html", "json"}) assay::check_replaceable(file_of(directory, command, kind));
}

void write_page(const std::string& directory, const Results& results) {
  const auto& command = results.run.command;
  const bool verified = std::holds_alternative<Verified>(results.found);
  refuse_without_page(directory, command);
  auto around = surroundings_of(directory, command);
  if (verified) add_scores(directory, results, around);
  write_file(file_of(directory, command, "json"), json_text(to_json(results)));
  write_file(file_of(directory, command, "html"),
             verified ? page::verify_page(results, around) : page::mutate_page(results, around));
}

void write_page(const std::string& directory, const std::vector<profile::ProfileTask>& tasks,
                double seconds) {
  const auto around = surroundings_of(directory, "profile");
  write_file(file_of(directory, "profile", "json"), json_text(profile_json(tasks, seconds)));
  write_file(file_of(directory, "profile", "html"), page::profile_page(tasks, around));
}

}  // namespace assay::report
