#include "harness/run/golden_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "golden/own_tensors.hpp"
#include "properties/cases/axes.hpp"
#include "properties/cases/flushing.hpp"

namespace assay::run {
namespace {

using properties::Case;

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two expectations have the same answers for an element.
bool same(const Expectation& a, const Expectation& b, std::size_t i) {
  return std::isnan(a.value[i]) == std::isnan(b.value[i]) && same(a.low[i], b.low[i]) &&
         same(a.high[i], b.high[i]);
}

/// What the file says is right, carried over to another arithmetic: `theirs` and `ours` are what the
/// reference says in the file's and in the kernel's.
void carry_over(const Expectation& theirs, const Expectation& ours, Expectation& stored) {
  if (theirs.value.size() != stored.value.size() || ours.value.size() != stored.value.size())
    throw std::logic_error(stored.tensor + ": the reference and the file have different numbers of elements");
  for (std::size_t i = 0; i < stored.value.size(); ++i) {
    if (same(theirs, ours, i)) continue;
    if (same(stored, theirs, i)) {
      stored.value[i] = ours.value[i];
      stored.low[i] = ours.low[i];
      stored.high[i] = ours.high[i];
    } else {
      properties::widen(ours, i, stored);
    }
  }
  stored.bound = ours.bound;
}

const Expectation& expectation_of(const std::vector<Expectation>& all, const std::string& tensor) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Expectation& one) { return one.tensor == tensor; });
  if (found == all.end()) throw std::logic_error(tensor + ": the reference does not compute it");
  return *found;
}

/// Own tensors as a golden case. Of a part, the dimensions that it is cut along are the file's to tell.
golden::GoldenCase own_case(const Case& test_case, const properties::Operation& operation,
                            const Arithmetic& arithmetic) {
  Dims given = test_case.dims;
  for (const auto& [dimension, range] : test_case.part) given.erase(dimension);
  auto own = golden::read_own_tensors(test_case.golden, operation, given);
  return {std::move(own.problem), test_case.regime, std::move(own.expected),
          own.arithmetic.value_or(arithmetic)};
}

/// Whether an answer of the whole is one of the part too: sums are those of all of their terms.
bool keeps_sums(const properties::Operation& operation, const properties::Part& part) {
  return std::all_of(part.begin(), part.end(), [&](const auto& one) {
    return properties::is_free(operation.declaration(), one.first);
  });
}

}  // namespace

GoldenProblem::GoldenProblem(std::filesystem::path file, const Arithmetic& arithmetic)
    : file_(std::move(file)),
      golden_(golden::read_case(file_)),
      operation_(properties::find_operation(golden_.problem.operation)),
      arithmetic_(arithmetic) {}

GoldenProblem::GoldenProblem(const Case& test_case, const properties::Operation& operation,
                             const Arithmetic& arithmetic)
    : file_(test_case.golden),
      golden_(test_case.regime == golden::kOwnRegime ? own_case(test_case, operation, arithmetic)
                                                     : golden::read_case(file_)),
      operation_(operation),
      arithmetic_(arithmetic) {
  if (golden_.problem.operation != operation_.name()) {
    throw std::invalid_argument(fmt::format("{}: the file is of {}, not of {}", file_.string(),
                                            golden_.problem.operation, operation_.name()));
  }
}

properties::Given GoldenProblem::given(const Case& test_case) const {
  if (test_case.golden != file_.string())
    throw std::invalid_argument(
        fmt::format("golden: the case belongs to {}, not to {}", test_case.golden, file_.string()));
  properties::Given given;
  if (test_case.part.empty()) {
    check(test_case, golden_.problem);
    given = {golden_.problem, judged_by(golden_.expectations, golden_.problem)};
  } else {
    for (const auto& [dimension, range] : test_case.part) {
      const auto* one = properties::find_named(operation_.declaration().dimensions, dimension);
      if (one == nullptr || !properties::can_cut(operation_, golden_.problem.dims, *one))
        throw std::invalid_argument(
            fmt::format("part.{}: operation {} cannot be cut along it", dimension, operation_.name()));
      const std::size_t all = properties::extent(golden_.problem.dims, dimension);
      if (range.begin >= range.end || range.end > all) {
        throw std::invalid_argument(fmt::format("part.{}={}:{}: {} has {}={}", dimension, range.begin,
                                                range.end, file_.string(), dimension, all));
      }
    }
    auto cut = properties::cut_out(operation_, golden_.problem, test_case.part);
    for (const auto& [dimension, range] : cut.part) {
      if (range == test_case.part.at(dimension)) continue;
      throw std::invalid_argument(fmt::format("part.{}: the nearest part that can be cut out is {}:{}",
                                              dimension, range.begin, range.end));
    }
    check(test_case, cut.problem);
    if (keeps_sums(operation_, cut.part)) {
      for (const Expectation& whole : golden_.expectations)
        given.expected.push_back(properties::cut_out(operation_, golden_.problem, cut, whole));
      given.expected = judged_by(std::move(given.expected), cut.problem);
    } else {
      given.expected = properties::right_answers(operation_, cut.problem, arithmetic_);
    }
    given.problem = std::move(cut.problem);
  }
  given.problem.schedule = test_case.seed;
  return given;
}

void GoldenProblem::check(const Case& test_case, const Problem& problem) const {
  operation_.check_problem(problem);
  for (const auto& one : operation_.declaration().dimensions) {
    const std::string& name = one.name;
    const std::int64_t value = problem.dims.at(name), said = properties::dim(test_case.dims, name);
    // A part may choose among many (experts) by values that nobody has looked at who has made the case.
    const bool chosen = one.is_choice() && !test_case.part.empty() && value < said;
    if (value == said || chosen) continue;
    throw std::invalid_argument(
        fmt::format("{}: is {} in {}; the case was made for another file", name, value, file_.string()));
  }
}

std::vector<Expectation> GoldenProblem::judged_by(std::vector<Expectation> stored,
                                                  const Problem& problem) const {
  if (stored.size() < problem.outputs.size()) {
    for (Expectation& one : properties::right_answers(operation_, problem, arithmetic_)) {
      const bool is_stored = std::any_of(
          stored.begin(), stored.end(), [&](const Expectation& other) { return other.tensor == one.tensor; });
      if (!is_stored) stored.push_back(std::move(one));
    }
  }
  if (golden_.arithmetic == arithmetic_) return stored;
  const auto theirs = operation_.expect(problem, golden_.arithmetic);
  const auto ours = properties::right_answers(operation_, problem, arithmetic_);
  for (Expectation& one : stored)
    carry_over(expectation_of(theirs, one.tensor), expectation_of(ours, one.tensor), one);
  return stored;
}

std::vector<Case> GoldenProblem::simpler(const Case& test_case,
                                         const std::function<bool(const Dims&)>& takes) const {
  std::vector<Case> found;
  for (properties::Part& part : properties::smaller_parts(operation_, golden_.problem.dims, test_case.part)) {
    Case one = test_case;
    try {
      // Of what a part chooses along other dimensions only the values say how much it is.
      one.dims = properties::cut_out(operation_, golden_.problem, part).problem.dims;
    } catch (const std::invalid_argument&) {
      continue;
    } catch (const properties::Unjudgeable&) {  // damaged streams cannot be cut out
      continue;
    }
    for (const auto& count : operation_.declaration().counts) one.dims.erase(count.name);
    one.part = std::move(part);
    if (takes(one.dims)) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace assay::run
