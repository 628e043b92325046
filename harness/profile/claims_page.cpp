// The page of claims: profiles, verdicts, Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "harness/profile/document_claims.hpp"
#include "harness/profile/profiler.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/report.hpp"

namespace assay::profile {
namespace {

/// "16,384", "43.75".
std::string grouped(double value) {
  if (std::isinf(value)) return "unlimited";
  if (value != std::floor(value)) return fmt::format("{:.4g}", value);
  return fmt::format("{}{}", value < 0 ? "-" : "",
                     assay::grouped(static_cast<std::uint64_t>(std::abs(value))));
}

std::string grouped(const Figure& figure) {
  return figure.low == figure.high ? grouped(figure.low)
                                   : fmt::format("{} to {}", grouped(figure.low), grouped(figure.high));
}

/// Kernel and dimensions: what has to be counted once.
using Key = std::pair<std::string, Dims>;

class Page {
 public:
  Page(const DocumentClaims& claims, const std::vector<KernelEntry>& entries, unsigned jobs)
      : claims_(claims), entries_(entries) {
    std::vector<Key> keys;
    const auto want = [&](const DocumentFigure& figure, const std::string& kernel) {
      const Key key{kernel, figure.at};
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) return;
      keys.push_back(key);
      tasks_.push_back({&entry(figure, kernel), figure.at, {}, {}});
    };
    for (const auto& document : claims.documents) {
      for (const auto& figure : document.figures) {
        want(figure, figure.kernel);
        if (!figure.against.empty()) want(figure, figure.against);
      }
    }
    profile_all(tasks_, jobs);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!tasks_[i].failure.empty()) throw std::runtime_error(keys[i].first + ": " + tasks_[i].failure);
      profiles_[keys[i]] = &tasks_[i].result;
    }
  }

  std::string text() {
    std::string body;
    for (const auto& document : claims_.documents) body += document_text(document);
    return head() + summary() + body + kernels_text() + counters_text() + not_measured();
  }

 private:
  const KernelEntry& entry(const DocumentFigure& figure, const std::string& kernel) const {
    for (const auto& one : entries_) {
      if (one.name == kernel) return one;
    }
    throw error(figure, "kernel", fmt::format("the manifest has no kernel {}", kernel));
  }

  ManifestError error(const DocumentFigure& figure, const std::string& field, const std::string& what) const {
    return {claims_.file, figure.line, "figure." + field, fmt::format("{}: {}", figure.of, what)};
  }

  Figure measure(const DocumentFigure& figure) const {
    const auto& own = profiles_.at({figure.kernel, figure.at})->figures;
    if (figure.measured.is_name()) {
      if (const auto found = own.find(figure.measured.names()[0]); found != own.end()) return found->second;
    }
    Dims values = entry(figure, figure.kernel).with_tile({});
    const auto add = [&](const Figures& figures, const std::string& prefix) {
      for (const auto& [name, value] : figures) {
        const bool whole = value.low == value.high && value.low == std::floor(value.low);
        if (whole && !std::isinf(value.low)) values[prefix + name] = static_cast<std::int64_t>(value.low);
      }
    };
    add(own, "");
    if (!figure.against.empty()) add(profiles_.at({figure.against, figure.at})->figures, "against_");
    try {
      const auto value = figure.measured.evaluate(values);
      return static_cast<double>(value.numerator) / static_cast<double>(value.denominator);
    } catch (const ExpressionError& bad) {
      throw error(figure, "measured", bad.what());
    }
  }

  std::string document_text(const Document& document) {
    std::string text = fmt::format(
        "## Document {}: {}\n\n| section | figure | kernel | says | measured | verdict "
        "|\n|---|---|---|--:|--:|"
        "---|\n",
        document.name, document.title);
    std::vector<std::string> remarks;  // reasons and notes, numbered as they come
    for (const auto& figure : document.figures) {
      const Figure measured = measure(figure);
      const bool agrees = measured.low >= figure.says.low - figure.within &&
                          measured.high <= figure.says.high + figure.within;
      if (agrees && !figure.reason.empty()) {
        throw error(figure, "reason", "the document agrees with what is measured; leave the reason out");
      }
      if (!agrees && figure.reason.empty()) {
        throw error(figure, "says",
                    fmt::format("the document says {}, measured is {}; correct the figure or give a reason",
                                grouped(figure.says), grouped(measured)));
      }
      ++(agrees ? agreeing_ : differing_);
      std::string verdict = agrees ? "agrees" : "**differs**";
      for (const std::string& remark :
           {agrees ? std::string() : claims_.reasons.at(figure.reason), figure.note}) {
        if (remark.empty()) continue;
        auto found = std::find(remarks.begin(), remarks.end(), remark);
        if (found == remarks.end()) found = remarks.insert(found, remark);
        verdict += fmt::format(" ({})", found - remarks.begin() + 1);
      }
      const std::string unit = figure.unit.empty() ? "" : " " + figure.unit;
      text +=
          fmt::format("| {} | {} | {} | {}{} | {}{} | {} |\n", figure.section, figure.of,
                      figure.against.empty() ? figure.kernel
                                             : fmt::format("{} against {}", figure.kernel, figure.against),
                      grouped(figure.says), unit, grouped(measured), unit, verdict);
    }
    text += "\n";
    for (std::size_t i = 0; i < remarks.size(); ++i) text += fmt::format("{}. {}\n", i + 1, remarks[i]);
    return text + (remarks.empty() ? "" : "\n");
  }

  static std::string head() {
    return "# The documents' figures, measured\n\n"
           "Generated: `assay claims docs/claims.toml > docs/claims.md`. A test regenerates it and "
           "compares.\n\n"
           "The design documents ([documents.md](documents.md)) state figures of their kernels: memory, "
           "barriers, loads, matrix\noperations. Each stands here beside what the simulated GPU counts as "
           "the kernel of this repository runs, on "
           "a "
           "problem of one row of two tiles of the\noutput, eight K tiles and groups of 32. A K tile's "
           "figure is "
           "the difference between eight and four K tiles, divided by\nthe number between them, so that "
           "nothing "
           "outside the K loop enters. Where a kernel cannot work as its document has it,\nthe kernel is put "
           "right and the figure differs. [Counters](#what-the-counters-mean) says what each one is.\n\n";
  }

  std::string summary() const {
    return fmt::format("Of {} figures {} agree and {} differ.\n\n", agreeing_ + differing_, agreeing_,
                       differing_);
  }

  std::string kernels_text() const {
    constexpr std::pair<const char*, const char*> kColumns[] = {
        {"threadgroup_bytes", "threadgroup bytes"},
        {"occupancy", "threadgroups a core"},
        {"threadgroup_barriers_per_k_tile", "threadgroup barriers"},
        {"simdgroup_barriers_per_k_tile", "simdgroup barriers"},
        {"matrix_operations_per_k_tile", "matrix operations"},
        {"matrix_loads_per_k_tile", "matrix loads"},
        {"loads_of_B", "loads of a word of B"},
        {"bytes_per_transaction_of_A", "bytes a transaction, A"},
        {"bytes_per_transaction_of_B", "bytes a transaction, B"},
    };
    std::string text =
        "## The kernels\n\nBarriers, matrix operations and loads are those of a K tile.\n\n| kernel |";
    std::string rule = "|---|";
    for (const auto& [unused, title] : kColumns) {
      text += fmt::format(" {} |", title);
      rule += "--:|";
    }
    text += "\n" + rule + "\n";
    for (const auto& entry : entries_) {
      const auto counted = profiles_.find({entry.name, {}});
      if (counted == profiles_.end()) continue;
      text += fmt::format("| {} |", entry.name);
      for (const auto& [name, unused] : kColumns) {
        const auto& figures = counted->second->figures;
        const auto found = figures.find(name);
        text += fmt::format(" {} |", found == figures.end() ? "" : grouped(found->second));
      }
      text += "\n";
    }
    return text + "\n";
  }

  static std::string counters_text() {
    std::string text = "## What the counters mean\n\n| counter | counts |\n|---|---|\n";
    for (const auto& counter : assay::counters()) {
      const char* of = counter.subject == Counter::Subject::tensor     ? "_of_TENSOR"
                       : counter.subject == Counter::Subject::variable ? "_of_VARIABLE"
                                                                       : "";
      text += fmt::format("| `{}{}` | {} |\n", counter.name, of, counter.about);
    }
    return text +
           "\nThe lanes of a simdgroup execute a load or store together when it is the same instruction and "
           "each "
           "lane has come to it\nthe same number of times since the last barrier. A matrix that is loaded or "
           "stored is one such access, of 8 rows.\nAtomic operations are neither loads nor stores here.\n\n";
  }

  static std::string not_measured() {
    return "## Not measured\n\nCycles, microseconds, bandwidth, cache sizes and hit rates: the simulated GPU "
           "has no "
           "clock and no cache. Arithmetic\noutside matrix operations (the multiplications and shifts of one "
           "dequantization) is not counted either.\n";
  }

  const DocumentClaims& claims_;
  const std::vector<KernelEntry>& entries_;
  std::vector<ProfileTask> tasks_;
  std::map<Key, const Profile*> profiles_;
  std::size_t agreeing_ = 0, differing_ = 0;
};

}  // namespace

std::string claims_page(const DocumentClaims& claims, const std::vector<KernelEntry>& entries,
                        unsigned jobs) {
  return Page(claims, entries, jobs).text();
}

}  // namespace assay::profile
