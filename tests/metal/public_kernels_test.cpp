// A matrix product whose shape is given by function constants alone has the right values.
#include <map>
#include <string>
#include <vector>

#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

class PublicKernels : public BothModes {};
ASSAY_ALL_WAYS(PublicKernels);

TEST_P(PublicKernels, UnifiedGemmOfFunctionConstants) {
  constexpr int M = 32, N = 64, K = 24;
  const auto a = whole_numbers<int>(M * K, -3, 3, 1), b = whole_numbers<int>(K * N, -3, 3, 2),
             c = whole_numbers<int>(M * N, -9, 9, 3);
  for (const bool scaled : {false, true}) {
    KernelRun kernel(source_path("unified_gemm.metal"), "sgemm");
    const std::map<unsigned, std::string> constants = {{0, "32"},     {1, "64"},   {2, "24"},   {10, "true"},
                                                       {11, "false"}, {200, "16"}, {201, "32"}, {202, "8"}};
    for (const auto& [index, literal] : constants) kernel.constant(index, literal);
    if (scaled) kernel.constant(20, "2.0").constant(21, "0.5");
    kernel.buffer(0, std::vector<float>(a.begin(), a.end()))
        .buffer(1, std::vector<float>(b.begin(), b.end()));
    kernel.buffer(2, std::vector<float>(c.begin(), c.end()))
        .threadgroup_bytes({256})
        .grid({1, 1, 1}, {128, 1, 1});
    const auto out = run_clean(kernel).values<float>(2);
    for (int m = 0; m < M; ++m) {
      for (int n = 0; n < N; ++n) {
        float sum = 0;
        for (int k = 0; k < K; ++k)
          sum += float(a[static_cast<std::size_t>(k * M + m)] * b[static_cast<std::size_t>(k * N + n)]);
        const auto i = static_cast<std::size_t>(m * N + n);
        ASSERT_EQ(out[i], scaled ? 2 * sum + 0.5f * float(c[i]) : sum) << scaled << " " << m << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace assay::metal
