#include "harness/fuzz/kept_finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/run/cause.hpp"
#include "harness/run/replay_line.hpp"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLongestName = 60, kHash = 10;

// A line of comment, whatever the text holds.
std::string comment(std::string_view name, std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return fmt::format("# {:<12}{}\n", name, text);
}

std::string plain(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '-';
  }
  return name.substr(0, kLongestName);
}

}  // namespace

bool KeptFinding::is(const KeptFinding& other) const {
  return manifest == other.manifest && kernel == other.kernel && mode == other.mode && cause == other.cause &&
         (conclusion == other.conclusion || conclusion.empty() || other.conclusion.empty());
}

std::string KeptFinding::file_name() const {
  const auto key = nlohmann::json({manifest, kernel, mode, cause, conclusion})
                       .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return fmt::format("{}-{}-{}.txt", plain(kernel), plain(mode), metal::content_hash(key).substr(0, kHash));
}

std::string KeptFinding::file_text() const {
  return comment("assay fuzz", fmt::format("{}, {} mode: {}", kernel, mode, cause)) +
         (conclusion.empty() ? "" : comment("diagnosis", conclusion)) +
         comment("seen", fmt::format("{} {} rejected for this", seen, seen == 1 ? "case" : "cases")) +
         comment("text", fmt::format("{} of the kernel and what it includes", text)) +
         comment("replay", "assay replay THIS_FILE, from where assay fuzz ran") + replay + "\n\n" + report;
}

KeptFinding finding_of(const KernelEntry& entry, run::Mode mode, const run::ModeReport& report,
                       std::string text) {
  KeptFinding finding;
  finding.manifest = entry.manifest.string();
  finding.kernel = entry.name;
  finding.mode = run::name_of(mode);
  finding.verdict = assay::name_of(report.verdict);
  finding.cause = report.cause;
  finding.conclusion = run::without_numbers(report.conclusion);
  finding.replay = report.replay;
  finding.report = report.text;
  finding.text = std::move(text);
  finding.shrunk = report.verdict != Verdict::crash && report.verdict != Verdict::timeout;
  finding.size = size_of(run::parse_replay_line(report.replay).test_case);
  return finding;
}

double size_of(const properties::Case& failing) {
  double size = 1;
  for (const auto& [name, value] : failing.dims)
    size *= static_cast<double>(std::max<std::int64_t>(value, 1));
  return size;
}

nlohmann::json to_json(const KeptFinding& finding) {
  return {{"manifest", finding.manifest}, {"kernel", finding.kernel}, {"mode", finding.mode},
          {"verdict", finding.verdict},   {"cause", finding.cause},   {"conclusion", finding.conclusion},
          {"replay", finding.replay},     {"report", finding.report}, {"text", finding.text},
          {"size", finding.size},         {"seen", finding.seen},     {"shrunk", finding.shrunk}};
}

KeptFinding kept_finding_from_json(const nlohmann::json& json) {
  KeptFinding finding;
  for (const auto& [name, member] : {std::pair{"manifest", &finding.manifest},
                                     {"kernel", &finding.kernel},
                                     {"mode", &finding.mode},
                                     {"verdict", &finding.verdict},
                                     {"cause", &finding.cause},
                                     {"conclusion", &finding.conclusion},
                                     {"replay", &finding.replay},
                                     {"report", &finding.report},
                                     {"text", &finding.text}}) {
    *member = json.at(name).get<std::string>();
  }
  finding.size = json.at("size").get<double>();
  finding.seen = json.at("seen").get<std::uint64_t>();
  finding.shrunk = json.at("shrunk").get<bool>();
  return finding;
}

}  // namespace assay::fuzz
