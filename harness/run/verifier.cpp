#include "harness/run/verifier.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/process/pool.hpp"
#include "harness/run/mode_job.hpp"

namespace assay::run {
namespace {

// What strict arithmetic said, in fast mode, of the code that it shares.
void copy_verdict_of_same_code(std::vector<ModeReport>& reports) {
  for (auto& report : reports) {
    if (!report.same_as_strict) continue;
    const auto strict = std::find_if(reports.begin(), reports.end(),
                                     [](const auto& other) { return other.mode == Mode::fast; });
    const auto own = report;
    report = *strict;
    report.mode = own.mode;
    report.seconds = own.seconds;
    report.same_as_strict = true;
  }
}

bool rejected(const ModeReport& report) { return assay::exit_status(report.verdict) == 1; }

// The first sentence of a report: which arithmetic shows the fault.
void say_arithmetic(ModeReport& report, const std::string& sentence) {
  report.summary = sentence + " " + report.summary;
  const auto head = report.text.find('\n');
  if (head != std::string::npos) report.text.insert(head + 1, "  " + sentence + "\n");
}

// "Seen with reassociated arithmetic.": one report, and nothing to hold it against.
void say_own_arithmetic(ModeReport& report) {
  if (!rejected(report) || numerics_of(report.mode) == Numerics::strict) return;
  say_arithmetic(report, fmt::format("Seen with {} arithmetic.", name_of(report.mode)));
}

// A kernel that strict arithmetic passes is right as it is written: only what compilers make of it is wrong.
void say_which_arithmetic(std::vector<ModeReport>& reports) {
  bool strict = false, strict_rejects = false;
  std::vector<std::string_view> names;
  for (const auto& report : reports) {
    if (numerics_of(report.mode) == Numerics::strict) {
      strict |= report.verdict == Verdict::pass;
      strict_rejects |= rejected(report);
    } else if (rejected(report)) {
      names.push_back(name_of(report.mode));
    }
  }
  if (names.empty() || strict_rejects) return;
  for (auto& report : reports) {
    if (!rejected(report)) continue;
    if (!strict) {
      say_own_arithmetic(report);
    } else {
      say_arithmetic(report,
                     fmt::format("Only {} arithmetic show{} this: the kernel passes in strict arithmetic.",
                                 fmt::join(names, " and "), names.size() == 1 ? "s" : ""));
    }
  }
}

// The modes in which a shard runs a kernel, number `index` of so many. Checked runs, which cost most, are
// numbered behind all others: so each shard gets its share of both.
std::vector<Mode> modes_of_shard(const VerifyOptions& options, const KernelEntry& entry, std::size_t index,
                                 std::size_t kernels) {
  std::vector<Mode> modes;
  for (const Mode mode : options.modes) {
    const bool runs = !is_excused(entry, mode) &&
                      (!options.shapes.asked() ||
                       !shaped_cases(entry, options.shapes, options.budget, mode).cases.empty()) &&
                      (!options.golden || has_golden_cases(entry, *options.golden, options.budget, mode));
    if (runs && options.shard.takes(mode == Mode::checked ? kernels + index : index)) modes.push_back(mode);
  }
  return modes;
}

}  // namespace

bool KernelReport::rejected_as_written() const {
  return std::any_of(modes.begin(), modes.end(), [](const auto& report) {
    return numerics_of(report.mode) == Numerics::strict && rejected(report);
  });
}

std::vector<Numerics> KernelReport::survived() const {
  std::vector<Numerics> all;
  // What is wrong as it is written is not right under the others, which have fewer cases and see no races.
  if (rejected_as_written()) return all;
  for (const auto numerics : {Numerics::strict, Numerics::contracted, Numerics::reassociated,
                              Numerics::approximate, Numerics::relaxed, Numerics::flushed}) {
    bool run = false, passed = true;
    for (const auto& report : modes) {
      if (numerics_of(report.mode) != numerics) continue;
      run = true;
      passed &= report.verdict == Verdict::pass;
    }
    if (run && passed) all.push_back(numerics);
  }
  return all;
}

const ModeReport& KernelReport::decisive() const {
  const auto rank = [](const ModeReport& report) {
    switch (report.verdict) {
      case Verdict::pass:
        return 100;
      case Verdict::vacuous:
        return 90;
      case Verdict::unsupported:
        return 80;
      case Verdict::error:
        return 70;
      case Verdict::claim_differs:
        return 30;
      case Verdict::needs_residency:
        return 27;
      case Verdict::law_broken:
        return 25;
      case Verdict::wrong_result:
        return 20;
      case Verdict::timeout:  // not every mode may know which loop it is
        return report.place ? 15 : 16;
      case Verdict::crash:
        return report.mode == Mode::checked ? 13 : 14;
      default:  // both modes may see a fault; checked mode knows its source line
        return report.mode == Mode::checked ? 1 : 2;
    }
  };
  return *std::min_element(modes.begin(), modes.end(),
                           [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

std::vector<KernelReport> verify_kernels(const std::vector<const KernelEntry*>& entries,
                                         const VerifyOptions& options, const Progress& progress) {
  std::vector<KernelReport> reports(entries.size());
  std::vector<std::vector<Mode>> own;
  for (std::size_t k = 0; k < entries.size(); ++k)
    own.push_back(modes_of_shard(options, *entries[k], k, entries.size()));
  std::size_t announced = 0;
  const auto announce = [&] {
    while (announced < reports.size() && reports[announced].modes.size() == own[announced].size()) {
      auto& modes = reports[announced].modes;
      if (modes.empty()) {
        ++announced;
        continue;
      }
      std::sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.mode < b.mode; });
      copy_verdict_of_same_code(modes);
      say_which_arithmetic(modes);
      if (progress.finished) progress.finished(reports[announced]);
      ++announced;
    }
  };
  process::Pool pool(options.jobs);
  StandingBook book(options.jobs);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    reports[k].entry = entries[k];
    for (const Mode mode : own[k]) {
      ModeListener listener;
      const std::size_t run = book.add(mode);
      listener.at = [&, k, run](std::uint64_t index, std::uint64_t of) {
        book.at(run, entries[k]->name, index, of);
      };
      listener.trace = progress.trace;
      listener.ended = [&, k, run](const ModeReport& report) {
        book.ended(run, report.cases_run, report.seconds);
        reports[k].modes.push_back(report);
        const bool last = reports[k].modes.size() == own[k].size();
        if (progress.mode_ended) progress.mode_ended(*entries[k], report, last);
        announce();
      };
      pool.add(mode_job(*entries[k], mode, options, std::move(listener)));
    }
  }
  pool.run([&] {
    if (progress.step) progress.step(book.standing());
  });
  std::erase_if(reports, [](const KernelReport& report) { return report.modes.empty(); });
  return reports;
}

ModeReport verify_case(const KernelEntry& entry, Mode mode, const properties::Case& test_case,
                       const CaseOptions& options) {
  ModeReport report;
  CaseOptions own = options;
  own.timeout_s *= static_cast<double>(test_case.budget);
  process::run_job(case_job(entry, mode, test_case, own, [&](const ModeReport& ended) { report = ended; }));
  say_own_arithmetic(report);
  return report;
}

int exit_status(const std::vector<KernelReport>& reports) {
  int status = 0;
  for (const auto& report : reports) {
    const int one = assay::exit_status(report.decisive().verdict);
    if (one == 1 || status == 1) {
      status = 1;
    } else {
      status = std::max(status, one);
    }
  }
  return status;
}

}  // namespace assay::run
