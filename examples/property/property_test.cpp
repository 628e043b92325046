// A property of one's own over a kernel's launches, and the kernel's verification beside it.
#include <assay/gtest.hpp>

#include <algorithm>
#include <cstring>

namespace {

// The first columns of a matrix: B and scales both have one column a column of W.
assay::Tensor first_columns(const assay::Tensor& matrix, std::size_t columns) {
  const std::size_t rows = matrix.shape.at(0), all = matrix.shape.at(1);
  auto cut = assay::make_tensor(matrix.name, matrix.dtype, {rows, columns});
  const std::size_t element = matrix.data.size() / (rows * all);
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(cut.data.data() + row * columns * element, matrix.data.data() + row * all * element,
                columns * element);
  }
  return cut;
}

assay::Problem first_columns(assay::Problem problem, std::size_t columns) {
  for (auto& input : problem.inputs) input = first_columns(input, columns);
  for (auto& output : problem.outputs) output.shape.at(1) = columns;
  problem.dims["N"] = static_cast<std::int64_t>(columns);
  return problem;
}

}  // namespace

ASSAY_KERNEL_TESTS(Kernels, "kernels.toml", {.cases = 60});

ASSAY_PROPERTY(Kernels, ColumnsDoNotDependOnThoseBehindThem, "kernels.toml", "dequantize",
               (assay::Run & run)) {
  const auto problem = run.problem();  // drawn; shrinks when the property fails
  const auto columns = *rc::gen::inRange<std::size_t>(1, static_cast<std::size_t>(problem.dims.at("N")) + 1);
  const auto all = run.launch(problem);  // in a child process: a crash is a failure of this trial
  const auto few = run.launch(first_columns(problem, columns));
  RC_ASSERT(few["W"].data == first_columns(all["W"], columns).data);
}
