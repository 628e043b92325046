#include "properties/operations/packed4/exhaustive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "properties/cases/special_values.hpp"
#include "properties/operations/packed4/code_coverage.hpp"
#include "properties/operations/packed4/listed_values.hpp"
#include "reference/half.hpp"

namespace assay::properties {
namespace {

constexpr std::int64_t kHalves = 0x10000;
/// Zero points that the scales are tried with: 1/2, 0, 8, -3.3.
constexpr std::array<std::int64_t, 4> kZeros = {0x3800, 0x0000, 0x4800, 0xC29A};
/// Scales that the zero points are tried with: 1, 1/3, -1.7, 2^-20.
constexpr std::array<std::int64_t, 4> kScales = {kOne, 0x3555, 0xBECD, 0x0010};
/// From these bits on weights may overflow, under a zero point of 1/2 and a scale of 1.
constexpr std::int64_t kOverflowingScale = 0x6800, kOverflowingZero = 0x7800;
constexpr std::int64_t kSign = 0x8000;

bool is_product(const Operation& operation) {
  return find_named(operation.declaration().tensors, "A") != nullptr;
}

/// Cases of one operation and kernel, of the legal sizes next to those asked for.
class Maker {
 public:
  Maker(const Operation& operation, const KernelTraits& traits)
      : operation_(operation),
        space_(operation.cases(traits)),
        tile_(traits.tile),
        requirements_(traits.requirements) {}

  Case sized(std::int64_t M, std::int64_t N, std::int64_t K) const {
    const Dims wanted = {{"M", M}, {"N", N}, {"K", K}, {"group_size", (K + 7) / 8 * 8}};
    Case made = space_.nearest(wanted);  // no larger than cases are drawn: what the kernel takes may be
    for (auto& [name, value] : made.dims) {
      const auto asked = wanted.find(name);
      const auto required = requirements_.find(name);
      if (asked == wanted.end()) continue;
      if (required == requirements_.end() || required->second.allows(asked->second)) value = asked->second;
    }
    return made;
  }
  Case count(std::int64_t M, std::int64_t N, std::int64_t K, Dims knobs) const {
    Case made = sized(M, N, K);
    made.regime = "count";
    made.knobs = std::move(knobs);
    return made;
  }

  bool product() const { return is_product(operation_); }
  const Tile& tile() const { return tile_; }

 private:
  const Operation& operation_;
  CaseSpace space_;
  Tile tile_;
  std::map<std::string, Requirement> requirements_;
};

Dims counting(const std::string& what, std::int64_t first, std::int64_t shift, Dims others) {
  others.insert({{what, first}, {what + "_step", 1}, {"shift", shift}});
  return others;
}

/// Every half as a scale or as a zero point, `what`, with all codes at once.
void add_counted(const Maker& maker, const std::string& what, const Dims& others, std::vector<Case>& cases) {
  cases.push_back(maker.count(kCodes, kHalves, kCodes, counting(what, 0, 0, others)));
}

/// Those of both signs from a magnitude on, each code alone; where weights are not summed that is no matter.
void add_overflowing(const Maker& maker, const std::string& what, std::int64_t magnitude, const Dims& others,
                     std::vector<Case>& cases) {
  if (!maker.product()) return;
  for (const std::int64_t sign : {std::int64_t{0}, kSign}) {
    for (std::int64_t shift = 0; shift < std::int64_t{kCodes}; ++shift) {
      cases.push_back(maker.count(1, kSign - magnitude, 1, counting(what, sign + magnitude, shift, others)));
    }
  }
}

void add_places(const Maker& maker, std::vector<Case>& cases) {
  const auto or_else = [](std::int64_t extent, std::int64_t other) { return extent > 0 ? extent : other; };
  const std::int64_t M = or_else(maker.tile().m, 64), N = or_else(maker.tile().n, 64),
                     K = or_else(maker.tile().k, 64);
  const Case sized = maker.sized(M, N, K);
  const std::int64_t turns = maker.product() ? dim(sized.dims, "K") : 1;
  for (std::int64_t first = 0; first < turns; ++first) {
    for (std::int64_t shift = 0; shift < std::int64_t{kCodes}; ++shift) {
      Dims knobs = {{"scale", kOne}, {"shift", shift}};
      if (maker.product()) knobs["first"] = first;
      cases.push_back(maker.count(M, N, K, knobs));
    }
  }
}

constexpr std::int64_t kWordsOfCase = 1 << 17;
constexpr std::int64_t kWordRows =
    64;  ///< of W, and no more than one tile of A has: each tile costs the same

std::size_t pair(std::uint16_t half, unsigned code) { return std::size_t{half} * kCodes + code; }

std::uint16_t plus(std::int64_t first, std::int64_t step, std::size_t n) {
  return static_cast<std::uint16_t>(first + static_cast<std::int64_t>(n) * step);
}

class PackedSweep final : public Sweep {
 public:
  PackedSweep(const Operation& operation, const WeightFormat& format, const Arithmetic& arithmetic,
              const Case& words)
      : problem_(operation.make_problem(words)) {
    Case table = words;
    table.regime = "count";
    table.knobs = {{"scale", kOne}};
    if (format.zero_points) table.knobs["zero"] = input(problem_, "zeros").as<std::uint16_t>()[0];
    table.dims["K"] = table.dims["group_size"] = kCodes;
    table.dims["N"] = 1;
    const auto weights = format.weights(operation.make_problem(table), arithmetic);
    for (std::size_t code = 0; code < weights.size(); ++code) {
      weights_[code] = weights[code];
      const bool zero = (weights[code] & ~kSign) == 0;
      relevant_[code] = zero && is_product(operation) ? 0x7FFF : 0xFFFF;  // a sum has no signed zero
    }
  }

  const Problem& problem(const Case& swept) override {
    auto word = static_cast<std::uint64_t>(swept.knobs.at("word"));
    for (std::uint32_t& one : input(problem_, "B").as<std::uint32_t>()) one = word_of(word++);
    return problem_;
  }

  bool right(const Tensor& output) const override {
    const auto got = output.as<std::uint16_t>();
    const auto B = input(problem_, "B").as<std::uint32_t>();
    const std::size_t N = extent(problem_.dims, "N"), rows = B.size() / N;
    if (got.size() < 8 * rows * N) throw std::logic_error(output.name + ": has fewer rows than codes");
    unsigned wrong = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t j = 0; j < 8; ++j) {
        const std::uint16_t* const line = got.data() + (8 * row + j) * N;
        const std::uint32_t* const words = B.data() + row * N;
        for (std::size_t n = 0; n < N; ++n) {
          const unsigned code = words[n] >> (4 * j) & 0xF;
          wrong |= static_cast<unsigned>(line[n] ^ weights_[code]) & relevant_[code];
        }
      }
    }
    return wrong == 0;
  }

 private:
  Problem problem_;
  std::uint16_t weights_[16], relevant_[16];  ///< bits of a code's weight, and those that must agree
};

/// A weight counts as shown where an element of the output could be nothing else.
class PackedRun final : public ExhaustiveRun {
 public:
  PackedRun(const Operation& operation, const WeightFormat& format, const KernelTraits& traits,
            WordRange words);

  std::uint64_t size() const override { return listed_.size() + word_cases_; }
  Case at(std::uint64_t index) const override;
  std::uint64_t first_swept() const override { return listed_.size(); }
  std::unique_ptr<Sweep> sweep(const Arithmetic& arithmetic) const override {
    return std::make_unique<PackedSweep>(operation_, format_, arithmetic, words_);
  }
  Case narrowed(const Case& failed, std::size_t row, std::size_t column) const override;
  void cover(const Case& passed, const Problem& problem, const Arithmetic& arithmetic) override;
  std::vector<std::string> missing() const override;

 private:
  using Pairs = std::bitset<std::size_t{1} << 20>;  ///< 16 (bits of a half) + code
  const Operation& operation_;
  const WeightFormat& format_;
  std::vector<Case> listed_;  ///< scales, zeros and places
  Case words_;
  std::uint64_t first_word_ = 0, word_cases_ = 0, words_per_case_ = 0;
  std::unique_ptr<Pairs> scales_ = std::make_unique<Pairs>(), zeros_ = std::make_unique<Pairs>();
};

PackedRun::PackedRun(const Operation& operation, const WeightFormat& format, const KernelTraits& traits,
                     WordRange words)
    : operation_(operation), format_(format), first_word_(words.first) {
  const Maker maker(operation, traits);
  if (format.zero_points) {
    for (const auto zero : kZeros) add_counted(maker, "scale", {{"zero", zero}}, listed_);
    for (const auto scale : kScales) add_counted(maker, "zero", {{"scale", scale}}, listed_);
    add_overflowing(maker, "scale", kOverflowingScale, {{"zero", kZeros[0]}}, listed_);
    add_overflowing(maker, "zero", kOverflowingZero, {{"scale", kScales[0]}}, listed_);
  } else {
    add_counted(maker, "scale", {}, listed_);
    add_overflowing(maker, "scale", kOverflowingScale, {}, listed_);
  }
  add_places(maker, listed_);

  std::int64_t rows = kWordRows;  // of W, and where there is an A as many of A: each holds one k
  if (maker.product()) {
    if (maker.tile().m > 0) rows = std::min(rows, maker.tile().m);
    rows = std::max<std::int64_t>(8, dim(maker.sized(rows, 1, rows).dims, "M") / 8 * 8);
  }
  words_ = maker.sized(rows, kWordsOfCase / (rows / 8), rows);
  words_.regime = "words";
  words_.knobs = {{"word", 0}};
  const std::int64_t K = dim(words_.dims, "K");
  if (maker.product() && dim(words_.dims, "M") < K) {
    throw std::invalid_argument(
        fmt::format("requires: M={} is too small for {} rows of weights; the words of an exhaustive run "
                    "need as many rows of A as a word has codes",
                    dim(words_.dims, "M"), K));
  }
  words_per_case_ = static_cast<std::uint64_t>(K / 8) * extent(words_.dims, "N");
  if (words_per_case_ == 0) {
    throw std::invalid_argument(fmt::format("requires: K={} is less than the 8 codes of a word", K));
  }
  word_cases_ = (words.end() - words.first + words_per_case_ - 1) / words_per_case_;
}

Case PackedRun::at(std::uint64_t index) const {
  if (index < listed_.size()) return listed_[index];
  Case made = words_;
  made.knobs["word"] = static_cast<std::int64_t>(first_word_ + (index - listed_.size()) * words_per_case_);
  return made;
}

void PackedRun::cover(const Case& passed, const Problem& problem, const Arithmetic& arithmetic) {
  if (passed.regime != "count") return;
  const std::int64_t scale_step = knob_of(passed, "scale_step"), zero_step = knob_of(passed, "zero_step");
  if (scale_step == 0 && zero_step == 0) return;
  const std::size_t N = extent(passed.dims, "N"), K = extent(passed.dims, "K");
  const std::size_t shown_rows = is_product(operation_) ? std::min(K, extent(passed.dims, "M")) : K;
  const auto first = static_cast<std::size_t>(knob_of(passed, "first"));
  const auto codes = listed_codes(passed);
  const auto weights = format_.weights(problem, arithmetic);
  for (std::size_t n = 0; n < N; ++n) {
    bool finite = true;
    for (std::size_t k = 0; k < K; ++k) finite &= reference::half_is_finite(weights[k * N + n]);
    if (is_product(operation_) && K > 1 && !finite) continue;
    for (std::size_t row = 0; row < shown_rows; ++row) {
      const unsigned code = codes[(first + row) % K * N + n];
      if (scale_step != 0) scales_->set(pair(plus(knob_of(passed, "scale"), scale_step, n), code));
      if (zero_step != 0) zeros_->set(pair(plus(knob_of(passed, "zero"), zero_step, n), code));
    }
  }
}

std::vector<std::string> PackedRun::missing() const {
  std::vector<std::string> found;
  const auto judge = [&](const Pairs& pairs, const char* what) {
    if (pairs.all()) return;
    found.push_back(fmt::format("{} of {} codes {}", pairs.size() - pairs.count(), pairs.size(), what));
  };
  judge(*scales_, "under every half as a scale");
  if (format_.zero_points) judge(*zeros_, "with every half as a zero point");
  return found;
}

Case PackedRun::narrowed(const Case& failed, std::size_t row, std::size_t column) const {
  Case narrow = failed;
  narrow.dims["N"] = 1;
  const auto n = static_cast<std::int64_t>(column);
  if (failed.regime == "words") {
    narrow.dims["K"] = 8;
    narrow.dims["group_size"] = 8;
    const auto N = dim(failed.dims, "N");
    narrow.knobs["word"] += static_cast<std::int64_t>(row / 8) * N + n;
    if (narrow.dims.contains("M")) narrow.dims["M"] = 8;
    return narrow;
  }
  for (const std::string what : {"scale", "zero"}) {
    if (knob_of(failed, what + "_step") == 0) continue;
    narrow.knobs[what] = plus(knob_of(failed, what), knob_of(failed, what + "_step"), column);
    narrow.knobs[what + "_step"] = 0;
  }
  narrow.knobs["shift"] = (knob_of(failed, "shift") + n) % kCodes;
  return narrow;
}

}  // namespace

std::unique_ptr<ExhaustiveRun> packed_exhaustive(const Operation& operation, const WeightFormat& format,
                                                 const KernelTraits& traits, WordRange words) {
  return std::make_unique<PackedRun>(operation, format, traits, words);
}

}  // namespace assay::properties
