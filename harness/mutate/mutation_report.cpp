#include "harness/mutate/mutation_report.hpp"

#include <fmt/format.h>

#include <array>

#include "harness/verify/numbers.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::mutate {

void MutationTotals::add(const MutationTotals& other) {
  mutants += other.mutants;
  not_compiled += other.not_compiled;
  killed += other.killed;
  equivalent += other.equivalent;
  explained += other.explained;
  survived += other.survived;
  for (std::size_t c = 0; c < criteria.size(); ++c) criteria[c] += other.criteria[c];
}

MutationReport::MutationReport(KernelMutants mutants, Equivalents& equivalents)
    : mutants_(std::move(mutants)) {
  mutate::SourceLines lines(mutants_.kernel.tokens);
  for (const auto& result : mutants_.results) {
    Entry entry{lines.of(mutants_.kernel.mutations.at(result.index)), {}};
    ++totals_.mutants;
    switch (result.status) {
      case MutantStatus::killed:
        ++totals_.killed;
        break;
      case MutantStatus::equivalent:
        ++totals_.equivalent;
        // An entry for it is used, too: another version of the compiler may not make the same code of it.
        equivalents.explain(name(), entry.changed);
        break;
      case MutantStatus::not_compiled:
        ++totals_.not_compiled;
        break;
      case MutantStatus::survived:
        if (const auto* reason = equivalents.explain(name(), entry.changed)) {
          entry.reason = *reason;
          ++totals_.explained;
        } else {
          ++totals_.survived;
        }
        break;
    }
    const bool faulty = result.status == MutantStatus::killed ||
                        (result.status == MutantStatus::survived && entry.reason.empty());
    for (std::size_t c = 0; faulty && c < kCriteria.size(); ++c)
      totals_.criteria[c] += result.criteria[c] ? 1 : 0;
    entries_.push_back(std::move(entry));
  }
}

std::string MutationReport::survivors() const {
  std::string out;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& result = mutants_.results[i];
    if (result.status != MutantStatus::survived || !entries_[i].reason.empty()) continue;
    out += fmt::format("{}: survived ({}) {}\n", name(), mutants_.kernel.mutations[result.index].kind,
                       entries_[i].changed.diff());
  }
  return out;
}

nlohmann::json MutationReport::json() const {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto& result = mutants_.results[i];
    const auto& changed = entries_[i].changed;
    auto one = to_json(result);
    one.erase("type");
    one["kind"] = mutants_.kernel.mutations[result.index].kind;
    one["file"] = changed.file;
    one["line"] = changed.line;
    one["before"] = changed.before;
    one["after"] = changed.after;
    if (!entries_[i].reason.empty()) {
      one["status"] = "explained";
      one["reason"] = entries_[i].reason;
    }
    list.push_back(std::move(one));
  }
  return {{"kernel", name()},
          {"error", mutants_.error},
          {"mutants", list},
          {"resumed", mutants_.resumed},
          {"seconds", mutants_.seconds},
          {"core_seconds", mutants_.core_seconds},
          {"totals",
           {{"mutants", totals_.mutants},
            {"compiled", totals_.compiled()},
            {"killed", totals_.killed},
            {"equivalent", totals_.equivalent},
            {"explained", totals_.explained},
            {"survived", totals_.survived},
            {"criteria", totals_.criteria}}}};
}

std::string mutation_header(std::size_t name_width) {
  return fmt::format("{:<{}}  {:>7}  {:>8}  {:>6}  {:>10}  {:>9}  {:>8}  {:>7}\n", "kernel", name_width,
                     "mutants", "compiled", "killed", "equivalent", "explained", "survived", "seconds");
}

std::string mutation_row(const std::string& name, const MutationTotals& totals, double seconds,
                         std::size_t name_width, const std::string& error) {
  const auto row =
      fmt::format("{:<{}}  {:>7}  {:>8}  {:>6}  {:>10}  {:>9}  {:>8}  {:>7.1f}\n", name, name_width,
                  grouped(totals.mutants), grouped(totals.compiled()), grouped(totals.killed),
                  grouped(totals.equivalent), grouped(totals.explained), grouped(totals.survived), seconds);
  return error.empty() ? row : row + fmt::format("  {}: {}\n", name, error);
}

void write_report(const std::filesystem::path& file, const MutateOptions& options,
                  const std::map<std::size_t, MutationReport>& kernels) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [which, report] : kernels) list.push_back(report.json());
  const nlohmann::json all = {{"format", "assay mutation report 1"},
                              {"cases", options.cases},
                              {"seed", options.seed},
                              {"sample", options.sample},
                              {"criteria", kCriteria},
                              {"kernels", list}};
  const std::string text = all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  assay::replace_file(file, std::array{std::string_view(text)});
}

std::string rate_text(const std::vector<MutationReport>& reports, double seconds) {
  double core_seconds = 0;
  std::size_t judged = 0, resumed = 0;
  for (const auto& report : reports) {
    core_seconds += report.mutants().core_seconds;
    judged += report.mutants().results.size() - report.mutants().resumed;
    resumed += report.mutants().resumed;
  }
  std::string text;
  if (resumed > 0)
    text = fmt::format("{} {} judged by an earlier run (--fresh judges again)\n", counted(resumed, "mutant"),
                       resumed == 1 ? "was" : "were");
  if (judged == 0) return text;
  return text + fmt::format("{} judged in {:.0f} s: {:.0f} a minute; {:.0f} s of processor time\n",
                            counted(judged, "mutant"), seconds, 60.0 * static_cast<double>(judged) / seconds,
                            core_seconds);
}

std::string criteria_table(const MutationTotals& totals) {
  const auto share = [&](std::size_t count) {
    return 100.0 * static_cast<double>(count) /
           static_cast<double>(std::max<std::size_t>(1, totals.faulty()));
  };
  auto text = fmt::format("how many of the {} mutants that differ from their kernel are rejected\n",
                          grouped(totals.faulty()));
  const auto row = [&](std::string_view name, std::size_t count) {
    text += fmt::format("  {:<38}  {:>6}  {:>5.1f} %\n", name, grouped(count), share(count));
  };
  row("Assay", totals.killed);
  for (std::size_t c = 0; c < kCriteria.size(); ++c) row(kCriteria[c], totals.criteria[c]);
  return text;
}

}  // namespace assay::mutate
