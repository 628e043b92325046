#include "harness/report/outputs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "harness/report/annotations.hpp"
#include "harness/report/json_report.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/page_files.hpp"
#include "harness/report/profile_json.hpp"
#include "harness/report/shard_choice.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& text) {
  assay::replace_file(path, std::array{std::string_view(text)});
}

}  // namespace

void check(const Outputs& outputs, std::string_view command) {
  for (const auto& path : {outputs.json, outputs.junit}) {
    if (path) assay::check_replaceable(*path);
  }
  if (outputs.page) check_page(*outputs.page, command);
  if (!outputs.json || !outputs.junit) return;
  std::error_code failed;
  const auto json = fs::weakly_canonical(*outputs.json, failed),
             junit = fs::weakly_canonical(*outputs.junit, failed);
  const bool file = !fs::exists(json, failed) || fs::is_regular_file(json, failed);
  if (file && json == junit)
    throw std::runtime_error(
        fmt::format("{}: cannot be both --json and --junit; name two files", *outputs.junit));
}

void write(const Outputs& outputs, const Results& results) {
  if (outputs.json) write(*outputs.json, json_text(to_json(results)));
  if (outputs.junit)
    write(*outputs.junit, junit_text(results, fmt::format("{:%FT%T}", fmt::gmtime(std::time(nullptr)))));
  if (outputs.page) write_page(*outputs.page, results);
}

void write(const Outputs& outputs, const std::vector<profile::ProfileTask>& tasks, double seconds) {
  if (outputs.json) write(*outputs.json, json_text(profile_json(tasks, seconds)));
  if (outputs.page) write_page(*outputs.page, tasks, seconds);
}

std::string page_line(const Outputs& outputs, std::string_view command) {
  return outputs.page ? fmt::format("page    {}\n",
                                    (fs::path(*outputs.page) / fmt::format("{}.html", command)).string())
                      : "";
}

std::string annotations_here(const Results& results) {
  const auto* verified = std::get_if<Verified>(&results.found);
  if (verified == nullptr || !environment("GITHUB_ACTIONS")) return {};
  const auto workspace = environment("GITHUB_WORKSPACE");
  std::error_code failed;
  return annotations(*verified, workspace ? fs::path(*workspace) : fs::current_path(failed));
}

}  // namespace assay::report
