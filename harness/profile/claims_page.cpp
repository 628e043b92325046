// The page of claims: profiles, verdicts, Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "harness/profile/claims_page_text.hpp"
#include "harness/profile/claims_tally.hpp"
#include "harness/profile/document_claims.hpp"
#include "harness/profile/format_figures.hpp"
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
        if (figure.source != Source::counted) continue;
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
    return claims_head() + summary() + body + kernels_text() + counters_text();
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

  Figure evaluate(const DocumentFigure& figure, const Dims& values) const {
    try {
      const auto value = figure.measured.evaluate(values);
      return static_cast<double>(value.numerator) / static_cast<double>(value.denominator);
    } catch (const ExpressionError& bad) {
      throw error(figure, figure.source == Source::counted ? "measured" : "computed", bad.what());
    }
  }

  Figure measure(const DocumentFigure& figure) const {
    Dims values = format_figures();
    if (figure.source == Source::computed) return evaluate(figure, values);
    const Profile& profile = *profiles_.at({figure.kernel, figure.at});
    const auto& own = profile.figures;
    const auto& names = figure.measured.names();
    if (figure.measured.is_name()) {
      if (const auto found = own.find(names[0]); found != own.end()) return found->second;
    }
    // A number that no counter enters would be the document's own, measured by nothing.
    const bool counts = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return own.contains(name) || name.starts_with("against_");
    });
    const auto dims = entry(figure, figure.kernel).with_tile(profile.dims);
    values.insert(dims.begin(), dims.end());
    const auto add = [&](const Figures& figures, const std::string& prefix) {
      for (const auto& [name, value] : figures) {
        const bool whole = value.low == value.high && value.low == std::floor(value.low);
        if (whole && !std::isinf(value.low)) values[prefix + name] = static_cast<std::int64_t>(value.low);
      }
    };
    add(own, "");
    if (!figure.against.empty()) add(profiles_.at({figure.against, figure.at})->figures, "against_");
    const Figure measured = evaluate(figure, values);
    if (!counts)
      throw error(figure, "measured", "names no counter; what follows from other numbers is computed");
    return measured;
  }

  /// Whether the document agrees with what is measured. Throws where a reason is missing, or one too many.
  bool agrees(const DocumentFigure& figure, const Figure& measured) const {
    const bool equal =
        measured.low >= figure.says.low - figure.within && measured.high <= figure.says.high + figure.within;
    if (equal && !figure.reason.empty()) {
      throw error(figure, "reason", "the document agrees with what is measured; leave the reason out");
    }
    if (!equal && figure.reason.empty()) {
      throw error(figure, "says",
                  fmt::format("the document says {}, measured is {}; correct the figure or give a reason",
                              grouped(figure.says), grouped(measured)));
    }
    return equal;
  }

  /// What is measured: a kernel at its dimensions, or arithmetic.
  static std::string subject(const DocumentFigure& figure) {
    if (figure.source == Source::computed) return fmt::format("`{}`", figure.measured.text());
    std::string text = figure.kernel;
    if (!figure.against.empty()) text += " against " + figure.against;
    if (!figure.at.empty()) text += ", " + assay::to_text(figure.at);
    return text;
  }

  std::string document_text(const Document& document) {
    Tally& tally = tallies_[document.name];
    Remarks remarks;
    std::string measured_rows, other_rows;
    for (const auto& figure : document.figures) {
      ++tally.figures;
      const std::string unit = figure.unit.empty() ? "" : " " + figure.unit;
      if (figure.source == Source::nowhere) {
        ++tally.unmeasurable;
        other_rows +=
            fmt::format("| {} | {} | {}{} |{} |\n", figure.section, figure.of, grouped(figure.says), unit,
                        remarks.numbers({claims_.unmeasurable.at(figure.unmeasurable), figure.note}));
        continue;
      }
      const Figure measured = measure(figure);
      const bool equal = agrees(figure, measured);
      ++(equal ? tally.equal : tally.different);
      ++(figure.source == Source::counted  ? tally.counted
         : figure.measured.names().empty() ? tally.of_its_own
                                           : tally.of_formats);
      measured_rows += fmt::format(
          "| {} | {} | {} | {}{} | {}{} | {}{} |\n", figure.section, figure.of, subject(figure),
          grouped(figure.says), unit, grouped(measured), unit, equal ? "agrees" : "**differs**",
          remarks.numbers({equal ? std::string() : claims_.reasons.at(figure.reason), figure.note}));
    }
    std::string text =
        fmt::format("## Document {}: {}\n\n{}\n\n", document.name, document.title, tally.sentence());
    if (!measured_rows.empty()) {
      text +=
          "| section | figure | kernel, or arithmetic | says | measured | verdict |\n"
          "|---|---|---|--:|--:|---|\n" +
          measured_rows + "\n";
    }
    if (!other_rows.empty()) {
      text += "Not measurable here:\n\n| section | figure | says | why |\n|---|---|--:|---|\n" + other_rows +
              "\n";
    }
    return text + remarks.text();
  }

  /// How many figures of each document are what.
  std::string summary() const {
    std::string text =
        "| document | figures | measured and equal | measured and different | not measurable here | of those "
        "measured: counted | worked out by the formats' code | by the document's own numbers |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|\n";
    Tally all;
    for (const auto& document : claims_.documents) {
      const Tally& one = tallies_.at(document.name);
      text += one.row(document.name);
      all.add(one);
    }
    return text + all.row("all") + "\n";
  }

  std::string kernels_text() const {
    struct Column {
      const char* title;
      std::vector<const char*> names;  // the first that the kernel has
    };
    const Column columns[] = {
        {"threadgroup bytes", {"threadgroup_bytes"}},
        {"threadgroups a core", {"occupancy"}},
        {"threadgroup barriers", {"threadgroup_barriers_per_k_tile"}},
        {"simdgroup barriers", {"simdgroup_barriers_per_k_tile"}},
        {"matrix operations", {"matrix_operations_per_k_tile"}},
        {"matrix loads", {"matrix_loads_per_k_tile"}},
        {"loads of a byte of weights",
         {"loads_of_B", "loads_of_packed_indices", "loads_of_gate_packed_indices", "loads_of_data"}},
        {"bytes a transaction, A or x", {"bytes_per_transaction_of_A", "bytes_per_transaction_of_x"}},
        {"bytes a transaction, weights",
         {"bytes_per_transaction_of_B", "bytes_per_transaction_of_packed_indices",
          "bytes_per_transaction_of_gate_packed_indices", "bytes_per_transaction_of_data"}},
    };
    std::string text =
        "## The kernels\n\nBarriers, matrix operations and matrix loads are those of a K tile.\n\n| kernel |";
    std::string rule = "|---|";
    for (const auto& column : columns) {
      text += fmt::format(" {} |", column.title);
      rule += "--:|";
    }
    text += "\n" + rule + "\n";
    for (const auto& entry : entries_) {
      const auto counted = profiles_.find({entry.name, {}});
      if (counted == profiles_.end()) continue;
      const auto& figures = counted->second->figures;
      text += fmt::format("| {} |", entry.name);
      for (const auto& column : columns) {
        const auto name = std::find_if(column.names.begin(), column.names.end(),
                                       [&](const char* one) { return figures.contains(one); });
        text += fmt::format(" {} |", name == column.names.end() ? "" : grouped(figures.find(*name)->second));
      }
      text += "\n";
    }
    return text + "\n";
  }

  const DocumentClaims& claims_;
  const std::vector<KernelEntry>& entries_;
  std::vector<ProfileTask> tasks_;
  std::map<Key, const Profile*> profiles_;
  std::map<std::string, Tally> tallies_;  // by document
};

}  // namespace

std::string claims_page(const DocumentClaims& claims, const std::vector<KernelEntry>& entries,
                        unsigned jobs) {
  return Page(claims, entries, jobs).text();
}

}  // namespace assay::profile
