// What quantization has made of the weights of a model: a table for a person, and the same for programs.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "golden/model/quantize.hpp"

namespace assay::golden {

/// One matrix in one operation's format.
struct WeightReport {
  std::string tensor;
  std::size_t rows = 0, columns = 0;
  WeightType type{};
  std::string operation;
  WeightError error;
  double bits_per_weight = 0;
  std::optional<Entropy> entropy = {};
  std::string refused = {};  ///< why there is no problem; empty: there is one
};

/// Of a problem that was made.
WeightReport report_of(const MatrixInfo& matrix, const Quantized& quantized);
/// Of one that was not.
WeightReport report_of(const MatrixInfo& matrix, const properties::Operation& operation,
                       const Refused& refused);

/// Lines of text, a row a report: tensor, sizes, operation, largest error, RMS, RMS relative to the weights,
/// bits a weight, and the entropy beside what the streams take. What was refused stands below the table with
/// its reason. Names from files are escaped.
std::string report_table(std::span<const WeightReport> reports);

/// {"tensor", "rows", "columns", "dtype", "operation", "error": {"maximum", "rms", "relative"},
/// "bits_per_weight", "entropy": {"matrix", "tiles", "streams"}}, or "refused" in place of what follows the
/// operation. A name that is no UTF-8 has U+FFFD where it is not.
nlohmann::ordered_json json_of(const WeightReport& report);

}  // namespace assay::golden
