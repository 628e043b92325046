// What a golden set is asked to hold, and the cases that follow from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/verify/manifest.hpp"
#include "properties/cases/case.hpp"

namespace assay::golden {

/// Equal requests give equal sets, on every machine.
struct SetRequest {
  std::string operation;
  std::uint64_t seed = 1;
  /// Cases of each shape, or of the set where none is named; nothing: 1, or 8.
  std::optional<std::uint64_t> cases = {};
  /// "M=1,N=4096,K=4096", dimensions that are not given being the smallest; or the name of a model,
  /// "llama-3-8b", for all of its layers at 1, 8 and 512 tokens, or "llama-3-8b,M=16".
  std::vector<std::string> shapes = {};
  /// Cases as lines (properties/cases/case.hpp), as a failure prints them: the set has these and no others.
  std::vector<std::string> lines = {};
  /// The cases that every run of `assay verify` has whatever its seed (docs/cases.md, "Planned values"), in
  /// place of drawn ones: special values in planned places, sizes where something changes.
  bool planned = false;
  std::optional<std::int64_t> group_size = {}, bits = {};
  /// "float" or "half": accumulators; or "half,float": dequantization and accumulators.
  std::optional<std::string> arithmetic = {};
  /// Of all cases; nothing: drawn, and of a shape random and exact in turn.
  std::optional<std::string> regime = {};

  bool operator==(const SetRequest&) const = default;
};

/// "operation=gemm_fp4 seed=1 cases=2 shape=M=1,N=4096,K=4096 group_size=128": as files say where they come
/// from. Spaces of a case's line are `;` there.
std::string to_line(const SetRequest& request);

/// Inverse of to_line. Throws std::invalid_argument that names the field.
SetRequest parse_request(std::string_view line);

/// A case of a set.
struct PlannedCase {
  std::string file;  ///< its name
  properties::Case test_case;
};

struct PlannedSet {
  /// OPERATION-SEED, and eight digits that tell it from sets with other options where it has such.
  std::string name;
  std::string request;
  Arithmetic arithmetic;
  std::vector<PlannedCase> cases;
};

/// All cases of a set. Throws std::invalid_argument that names the field: an operation that is not known, a
/// shape that it does not have, and so on.
PlannedSet plan_set(const SetRequest& request);

/// What `arithmetic` of a request means; nothing: the default. Throws std::invalid_argument that names the
/// field.
Arithmetic arithmetic_of(const std::optional<std::string>& words);

/// Bytes of the inputs and outputs of a case, as far as its dimensions say.
double bytes_of_case(const properties::Case& test_case);

/// How the name of a golden file ends.
inline constexpr std::string_view kFileSuffix = ".safetensors";

/// The name of file number `index` of a set.
std::string file_name(std::string_view set, std::uint64_t index);

/// The set and the number in a name; nothing for names that file_name() does not give.
struct FileName {
  std::string set;
  std::uint64_t index = 0;
};
std::optional<FileName> parse_file_name(std::string_view name);

}  // namespace assay::golden
