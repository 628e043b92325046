// The page of claims: verdicts, Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "harness/profile/claims_page_text.hpp"
#include "harness/profile/claims_tally.hpp"
#include "harness/profile/document_claims.hpp"
#include "harness/profile/figure_values.hpp"
#include "harness/verify/report.hpp"

namespace assay::profile {
namespace {

class Page {
 public:
  Page(const DocumentClaims& claims, const std::vector<KernelEntry>& entries, unsigned jobs,
       const ProfileListener& ended)
      : claims_(claims), entries_(entries), values_(claims, entries, jobs, ended) {}

  std::string text() {
    std::string body;
    for (const auto& document : claims_.documents) body += document_text(document);
    return claims_head() + summary() + body + kernels_text() + counters_text();
  }

 private:
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
      const Figure measured = values_.measure(figure);
      const bool equal = values_.agrees(figure, measured);
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
      const Profile* counted = values_.find(entry.name);
      if (counted == nullptr) continue;
      const auto& figures = counted->figures;
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
  const FigureValues values_;
  std::map<std::string, Tally> tallies_;  // by document
};

}  // namespace

std::string claims_page(const DocumentClaims& claims, const std::vector<KernelEntry>& entries, unsigned jobs,
                        const ProfileListener& ended) {
  return Page(claims, entries, jobs, ended).text();
}

}  // namespace assay::profile
