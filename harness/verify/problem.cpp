#include "assay/problem.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace assay {
namespace {

template <class Problem>
auto& find_input(Problem& problem, std::string_view name) {
  for (auto& tensor : problem.inputs) {
    if (tensor.name == name) return tensor;
  }
  throw std::invalid_argument(fmt::format("{}: the problem has no such input", name));
}

}  // namespace

Tensor& input(Problem& problem, std::string_view name) { return find_input(problem, name); }
const Tensor& input(const Problem& problem, std::string_view name) { return find_input(problem, name); }

}  // namespace assay
