#include "harness/verify/small_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/verify/compare.hpp"
#include "harness/verify/judge.hpp"

namespace assay {
namespace {

constexpr std::uint64_t kMostInDecimal = 9999;

bool is_unsigned(DType type) { return type == DType::u8 || type == DType::u16 || type == DType::u32; }

std::vector<std::string> values_of(const Tensor& tensor) {
  const std::size_t count = tensor.element_count();
  bool packed = false;
  for (std::size_t i = 0; i < count; ++i)
    packed |= is_unsigned(tensor.dtype) && bits_of(tensor, i) > kMostInDecimal;
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(packed ? fmt::format("0x{:0{}x}", bits_of(tensor, i), 2 * size_of(tensor.dtype))
                            : value_text(decode(tensor, i), is_integer(tensor.dtype) ? 17 : 7));
  }
  return values;
}

}  // namespace

std::uint64_t InputText::elements() const {
  std::uint64_t count = 1;
  for (const auto side : shape) count *= side;
  return count;
}

std::vector<InputText> small_inputs(const Problem& problem) {
  std::vector<InputText> all;
  bool any = false;
  for (const Tensor& input : problem.inputs) {
    all.push_back({input.name, std::string(name_of(input.dtype)), {input.shape.begin(), input.shape.end()}});
    if (input.repeated || input.element_count() > kMostShownInputs) continue;
    all.back().values = values_of(input);
    any |= !all.back().values.empty();
  }
  return any ? all : std::vector<InputText>{};
}

}  // namespace assay
