// An operation that a manifest states: its buffers and sizes, how its values are drawn and, where there is
// one, the reference that says what is right. docs/own_operation.md describes the fields.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/tensor.hpp"
#include "harness/verify/expression.hpp"

namespace assay {

/// How elements of an input are drawn where the case's regime leaves them to the manifest.
struct StatedValues {
  enum class Kind {
    normal,    ///< numbers of both signs around 1 in magnitude; the regimes may draw others
    positive,  ///< the same without signs
    integers,  ///< whole numbers from -4 to 4, or 0 to 8 of unsigned types; the regimes may draw others
    bits,      ///< any bits; of floating-point types, any finite number
    constant,  ///< `low` everywhere
    range,     ///< from `low` to `high`; whole numbers include both
    below,     ///< whole numbers from 0 to the value of `limit` less 1
    unit,      ///< along the last axis one 1 and else zeros
    listed,    ///< one of `list`
  };
  Kind kind = Kind::normal;
  double low = 0, high = 0;
  std::optional<Expression> limit = {};  ///< of `below`
  std::vector<double> list = {};         ///< of `listed`
};

/// What an input may be said to never hold, so that plans leave it out; docs/own_operation.md describes each.
inline constexpr std::array<std::string_view, 12> kNever = {"NaN",      "infinity",   "-0",   "subnormal",
                                                            "outliers", "magnitudes", "ends", "extremes",
                                                            "equal",    "few",        "runs", "beginning"};

struct StatedTensor {
  enum class Access { in, out, in_out };
  std::string name;
  std::string type;  ///< as Metal names it
  DType dtype{};
  std::vector<Expression> shape;
  Access access = Access::in;
  StatedValues values = {};
  std::vector<std::string> never = {};  ///< of kNever
  std::uint32_t line = 0;
};

struct StatedDimension {
  std::string name;
  std::int64_t least = 1, multiple = 1;
  std::int64_t largest = 1024;           ///< that is drawn often; what a kernel does not take, it `requires`
  std::vector<std::int64_t> edges = {};  ///< sizes to try besides those that every dimension has
  std::vector<std::int64_t> choices = {};  ///< not empty: it has one of these values
  char tile = 0;                           ///< 'm', 'n' or 'k': the side of `tile` that cuts it; 0: none
  bool reduced = false;                    ///< sums run over it
  bool independent = false;                ///< what is reordered along it comes out reordered
  std::uint32_t line = 0;
};

struct StatedOperation {
  std::string name;
  std::filesystem::path manifest;
  std::uint32_t line = 0;
  std::vector<StatedDimension> dimensions;
  std::vector<StatedTensor> tensors;
  std::filesystem::path reference = {};  ///< a file of scalar C++; empty: none
  std::string reference_name = {};       ///< what messages call it; nothing: by its path
  std::string reference_kernel = {};     ///< a kernel of the same manifest; empty: none
  bool in_program = false;               ///< a function of the program says what is right
  double ulps = 0;       ///< how far from that kernel's results is right, in units in the last place
  bool precise = false;  ///< Metal's precise functions, not those of fast math
  std::vector<std::string> linear = {};  ///< inputs that every output is linear in
  unsigned launches = 1;                 ///< over the same buffers, after which the same bits must stand

  bool has_answers() const { return !reference.empty() || !reference_kernel.empty() || in_program; }
  std::string called() const { return reference_name.empty() ? reference.string() : reference_name; }
};

/// The name of the operation of a kernel that states its buffers and no operation.
inline constexpr const char* kBuffersAlone = "buffers";

}  // namespace assay
