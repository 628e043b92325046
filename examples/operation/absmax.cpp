// An operation of one's own: what goes in, what comes out, which values are tried, and what is right.
#include <assay/operation.hpp>

#include <memory>

#include "absmax_reference.hpp"

namespace {

using namespace assay;
using namespace assay::properties;

OperationDeclaration absmax_declaration() {
  return {
      .name = "absmax",
      .tensors =
          {
              {"W", DType::f16, Role::input, shape_of({"K", "N"})},
              {"scales", DType::f16, Role::output,
               [](const Dims& dims) {
                 const std::size_t group = extent(dims, "group_size");
                 return std::vector<std::size_t>{(extent(dims, "K") + group - 1) / group, extent(dims, "N")};
               }},
          },
      .dimensions =
          {
              {.name = "N"},
              {.name = "K", .related = {"group_size"}},
              {.name = "group_size", .multiple = 8, .choices = {8, 16, 32, 64, 128}},
          },
      .regimes =
          {
              {.name = "integers", .about = "small integers: neighbours that are equal, and zeros"},
              {.name = "ordinary", .about = "values of both signs and many exponents"},
          },
  };
}

class Absmax final : public Operation {
 public:
  Absmax() : Operation(absmax_declaration()) {}

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic&) const override {
    check_problem(problem);
    const auto right = absmax(input(problem, "W").as<std::uint16_t>(), extent(problem.dims, "K"),
                              extent(problem.dims, "N"), extent(problem.dims, "group_size"));
    Expectation expected{.tensor = "scales", .value = {}, .low = {}, .high = {}, .bound = "exact"};
    for (const std::uint16_t bits : right) expected.value.push_back(reference::half_to_double(bits));
    expected.low = expected.high = expected.value;
    return {expected};
  }

 protected:
  void fill(const Case& test_case, Problem& filled) const override {
    const Draw draw(test_case.seed, "W");
    std::uint64_t index = 0;
    for (std::uint16_t& value : input(filled, "W").as<std::uint16_t>()) {
      const Words words = draw.words(index++);
      value = test_case.regime == "integers" ? integer_half(8, words) : ordinary_half(-14, 15, words);
    }
  }
};

const RegisterOperation kAbsmax("absmax", [] { return std::make_unique<Absmax>(); });

}  // namespace
