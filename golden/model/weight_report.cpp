#include "golden/model/weight_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "golden/safetensors_format.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::golden {
namespace {

constexpr std::size_t kReportColumns = 9, kReportTexts = 3;
using ReportRow = std::array<std::string, kReportColumns>;

/// Without the quotes that escaped() puts around it: a name has a column of its own.
std::string shown_name(const std::string& name) {
  const std::string quoted = escaped(name);
  return quoted.size() >= 2 && quoted.back() == '"' ? quoted.substr(1, quoted.size() - 2) : quoted;
}

ReportRow report_row(const WeightReport& report) {
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  return {shown_name(report.tensor),
          fmt::format("{} {} x {}", name_of(report.type), grouped(report.rows), grouped(report.columns)),
          report.operation,
          number(report.error.maximum),
          number(report.error.rms),
          fmt::format("{:.2f} %", 100 * report.error.relative),
          fmt::format("{:.3f}", report.bits_per_weight),
          report.entropy ? fmt::format("{:.3f}", report.entropy->tiles) : "-",
          report.entropy ? fmt::format("{:.3f}", report.entropy->streams) : "-"};
}

}  // namespace

WeightReport report_of(const MatrixInfo& matrix, const Quantized& quantized) {
  return {.tensor = matrix.name,
          .rows = matrix.rows,
          .columns = matrix.columns,
          .type = matrix.type,
          .operation = quantized.problem.operation,
          .error = quantized.error,
          .bits_per_weight = quantized.bits_per_weight,
          .entropy = quantized.entropy};
}

WeightReport report_of(const MatrixInfo& matrix, const properties::Operation& operation,
                       const Refused& refused) {
  return {.tensor = matrix.name,
          .rows = matrix.rows,
          .columns = matrix.columns,
          .type = matrix.type,
          .operation = operation.name(),
          .error = {},
          .refused = refused.what()};
}

std::string report_table(std::span<const WeightReport> reports) {
  std::vector<ReportRow> rows = {{"tensor", "weights", "operation", "max error", "RMS error", "relative",
                                  "bits/weight", "entropy", "streams"}};
  std::string refused;
  for (const WeightReport& one : reports) {
    if (one.refused.empty()) {
      rows.push_back(report_row(one));
    } else {
      refused += "refused: " + one.refused + "\n";
    }
  }
  std::array<std::size_t, kReportColumns> widths{};
  for (const ReportRow& row : rows) {
    for (std::size_t i = 0; i < kReportColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const ReportRow& row : rows) {
    for (std::size_t i = 0; i < kReportColumns; ++i) {
      const bool last = i + 1 == kReportColumns;
      text += i < kReportTexts ? fmt::format("{:<{}}", row[i], widths[i])
                               : fmt::format("{:>{}}", row[i], widths[i]);
      text += last ? "\n" : "  ";
    }
  }
  return (rows.size() > 1 ? text : "") + refused;
}

nlohmann::ordered_json json_of(const WeightReport& report) {
  nlohmann::ordered_json json = {
      {"tensor", nlohmann::ordered_json::parse(escaped(report.tensor, std::string::npos))},
      {"rows", report.rows},
      {"columns", report.columns},
      {"dtype", name_of(report.type)},
      {"operation", report.operation}};
  if (!report.refused.empty()) {
    json["refused"] = report.refused;
    return json;
  }
  json["error"] = {
      {"maximum", report.error.maximum}, {"rms", report.error.rms}, {"relative", report.error.relative}};
  json["bits_per_weight"] = report.bits_per_weight;
  if (report.entropy) {
    json["entropy"] = {{"matrix", report.entropy->matrix},
                       {"tiles", report.entropy->tiles},
                       {"streams", report.entropy->streams}};
  }
  return json;
}

}  // namespace assay::golden
