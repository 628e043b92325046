// What a reference assigns, and the ways it goes where a comparison may go either way: each is gone, and what
// is assigned on each is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace assay::oracle {

/// Values from low to high are right, or NaN where `value` is one; from -infinity to infinity: anything.
struct Stretch {
  double value = 0, low = 0, high = 0;
  bool overflowed = false;  ///< a product or sum on the way was more than a kernel's numbers hold
};

/// An output's elements, in memory that the reference's process shares.
struct AssignedOutput {
  std::span<double> value, low, high;
  std::span<std::uint8_t> assigned;  ///< how often, up to 1
};

class Exploration {
 public:
  /// So many combinations of choices are gone; of what has more, nothing can be said.
  static constexpr unsigned kMostPaths = 256;

  /// Outputs by the numbers of their tensors; those of inputs are empty.
  explicit Exploration(std::vector<AssignedOutput> outputs) : outputs_(std::move(outputs)) {}

  void begin();
  bool again();
  unsigned choose(unsigned count);
  void cannot_say();
  /// False where there is no such element.
  bool assign(unsigned tensor, std::size_t element, const Stretch& right);
  /// Of an element that this path has assigned: something on the way overflows, and right is this, too.
  bool overflow(unsigned tensor, std::size_t element, double special);

  /// Elements for which several stretches are right that do not meet, or that overflow on the way, once all
  /// scopes have ended.
  const std::map<std::pair<unsigned, std::size_t>, std::vector<Stretch>>& apart() const { return apart_; }

 private:
  using Place = std::pair<unsigned, std::size_t>;
  struct Choice {
    unsigned chosen = 0, of = 1;
  };
  struct Scope {
    std::vector<Choice> trail = {};
    std::size_t next = 0;
    unsigned paths = 0;
    bool unknown = false;
    std::vector<Place> written = {};                 ///< on this path
    std::map<Place, std::vector<Stretch>> all = {};  ///< on those before
  };

  void keep_path(Scope& scope);
  void finish(bool too_many);

  std::vector<AssignedOutput> outputs_;
  std::vector<Scope> scopes_;
  std::map<Place, std::vector<Stretch>> apart_;
};

/// Sorted, with those joined that meet; NaN by itself, once.
std::vector<Stretch> joined(std::vector<Stretch> stretches);

}  // namespace assay::oracle
