// Kernels in the style of public repositories go through the front end as they are and give the right values.
#include <cmath>

#include "harness/metal/module.hpp"
#include "tests/metal/kernel_run.hpp"

#define GGML_COMMON_DECL
#include "tests/metal/sources/ggml_impl.h"

namespace assay::metal {
namespace {

class PublicKernels : public BothModes {};
ASSAY_ALL_WAYS(PublicKernels);

// ggml's 4-bit blocks of 32: a scale, then 16 bytes; the low nibbles are the first half.
struct BlockQ4 {
  Half d;
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockQ4) == 18);

std::vector<BlockQ4> q4_blocks(std::size_t count) {
  const auto bytes = whole_numbers<std::uint8_t>(count * 16, 0, 255, 7);
  std::vector<BlockQ4> blocks(count);
  for (std::size_t i = 0; i < count; ++i) {
    blocks[i].d = Half(i % 2 == 0 ? 0.5f : 2.0f);
    std::copy_n(bytes.begin() + static_cast<long>(16 * i), 16, blocks[i].qs);
  }
  return blocks;
}

float q4_weight(const std::vector<BlockQ4>& blocks, std::size_t i) {
  const auto& block = blocks[i / 32];
  const std::uint8_t byte = block.qs[i % 16];
  return float(block.d) * float(int(i % 32 < 16 ? byte & 15 : byte >> 4) - 8);
}

// Small whole numbers and powers of two: every order of summation gives the same.
std::vector<float> product(const std::vector<float>& weights, const std::vector<float>& x, std::size_t rows,
                           std::size_t columns, std::size_t depth) {
  std::vector<float> out(rows * columns);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < depth; ++k) out[c * rows + r] += weights[r * depth + k] * x[c * depth + k];
    }
  }
  return out;
}

TEST_P(PublicKernels, GgmlMatrixVectorOfQ4Blocks) {
  constexpr std::size_t kRows = 10, kDepth = 1024;
  const auto blocks = q4_blocks(kRows * kDepth / 32);
  const auto x = whole_numbers<float>(kDepth, -4, 4);
  std::vector<float> weights(kRows * kDepth);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = q4_weight(blocks, i);

  ggml_metal_kargs_mul_mv args{};
  args.ne00 = kDepth;
  args.ne01 = kRows;
  args.nb01 = kDepth / 32 * 18;
  args.ne12 = args.r2 = args.r3 = 1;
  args.nb11 = kDepth * 4;
  args.ne0 = kRows;
  args.ne1 = 1;
  // Rows past the last are read and thrown away, as llama.cpp does: the buffer has room for them.
  auto padded = blocks;
  padded.resize(12 * kDepth / 32);
  KernelRun kernel(source_path("ggml.metal"), "kernel_mul_mv_q4_0_f32");
  kernel.constant(600, "2").value(0, args).buffer(1, padded).buffer(2, x).buffer(
      3, std::vector<float>(kRows, -1));
  kernel.threadgroup_bytes({32 * 4 * 4}).grid({3, 1, 1}, {32, 2, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(3), product(weights, x, kRows, 1, kDepth));
}

TEST_P(PublicKernels, GgmlMatrixMatrixOfQ4Blocks) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{64, 32}, {72, 40}}) {
    constexpr std::size_t kDepth = 64;
    const auto blocks = q4_blocks(rows * kDepth / 32);
    const auto x = whole_numbers<float>(columns * kDepth, -4, 4);
    std::vector<float> weights(rows * kDepth);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = q4_weight(blocks, i);

    ggml_metal_kargs_mul_mm args{};
    args.ne00 = kDepth;
    args.ne12 = args.r2 = args.r3 = 1;
    args.nb01 = kDepth / 32 * 18;
    args.nb10 = 4;
    args.nb11 = kDepth * 4;
    args.ne0 = static_cast<std::int32_t>(rows);
    args.ne1 = static_cast<std::int32_t>(columns);
    const bool ragged = rows % 64 != 0;
    KernelRun kernel(source_path("ggml.metal"), "kernel_mul_mm_q4_0_f32");
    kernel.constant(700, "false").constant(701, ragged ? "true" : "false");
    kernel.value(0, args).buffer(1, blocks).buffer(2, x).buffer(3, std::vector<float>(rows * columns, -1));
    kernel.threadgroup_bytes({8192}).grid({ragged ? 2u : 1u, ragged ? 2u : 1u, 1}, {128, 1, 1});
    EXPECT_EQ(run_clean(kernel).values<float>(3), product(weights, x, rows, columns, kDepth)) << rows;
  }
}

TEST_P(PublicKernels, GgmlQuantizesAsItDequantizes) {
  auto values = whole_numbers<float>(64, -8, 7, 3);
  values[5] = -8, values[40] = 4;
  for (std::size_t i = 32; i < 64; ++i) values[i] = std::clamp(values[i], -3.f, 4.f);
  KernelRun kernel(source_path("ggml.metal"), "kernel_cpy_f32_q4_0");
  kernel.buffer(0, values).buffer(1, std::vector<BlockQ4>(2)).grid({1, 1, 1}, {2, 1, 1});
  const auto blocks = run_clean(kernel).values<BlockQ4>(1);
  EXPECT_EQ(float(blocks[0].d), 1.0f);
  EXPECT_EQ(float(blocks[1].d), -0.5f);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(q4_weight(blocks, i), values[i], 0.25) << i;
}

TEST_P(PublicKernels, GgmlSoftMaxSumsToOne) {
  constexpr std::size_t kLength = 100;
  const auto x = whole_numbers<float>(2 * kLength, -5, 5);
  std::vector<Half> mask(2 * kLength, Half(0));
  mask[3] = Half(-INFINITY);
  KernelRun kernel(source_path("ggml.metal"), "kernel_soft_max_f16");
  kernel.buffer(0, x)
      .buffer(1, mask)
      .buffer(2, std::vector<float>(2 * kLength))
      .value(3, std::int32_t(kLength));
  kernel.threadgroup_bytes({128}).grid({2, 1, 1}, {64, 1, 1});
  const auto finished = kernel.run(GetParam().mode, GetParam().numerics);
  // The barrier between reading `buf` and clearing it is one of mem_none: it orders no memory.
  ASSERT_EQ(finished.report.faults.size(), GetParam().mode == simulator::Mode::checked ? 1u : 0u);
  for (const auto& fault : finished.report.faults) EXPECT_EQ(fault.kind, device::FaultKind::race);
  const auto out = finished.values<float>(2);
  for (std::size_t row = 0; row < 2; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < kLength; ++i)
      sum += i == 3 && row == 0 ? 0 : std::exp(double(x[row * kLength + i]));
    for (std::size_t i = 0; i < kLength; ++i) {
      const double expected = i == 3 && row == 0 ? 0 : std::exp(double(x[row * kLength + i])) / sum;
      EXPECT_NEAR(out[row * kLength + i], expected, 1e-6) << row << " " << i;
    }
  }
}

struct GemmParams {
  std::int32_t M, N, K, lda, ldb, ldd, tiles_n, tiles_m;
  std::int64_t batch_stride_a, batch_stride_b, batch_stride_d;
  std::int32_t swizzle_log, gemm_k_iterations_aligned, batch_ndim;
};

template <class T>
void expect_steel_gemm(const std::string& variant, int M, int N, int K, bool trans_a, bool trans_b,
                       auto&& run) {
  const auto a = whole_numbers<int>(static_cast<std::size_t>(M * K), -3, 3, 1);
  const auto b = whole_numbers<int>(static_cast<std::size_t>(K * N), -3, 3, 2);
  std::vector<T> A(a.begin(), a.end()), B(b.begin(), b.end());
  GemmParams params{M, N,      K, trans_a ? M : K, trans_b ? K : N, N, (N + 31) / 32, (M + 31) / 32, 0, 0, 0,
                    0, K / 16, 0};
  KernelRun kernel(source_path("mlx/steel_gemm.metal"), variant);
  kernel.include(source_path("mlx").parent_path());
  kernel.constant(10, "false").constant(100, "false").constant(200, M % 32 ? "false" : "true");
  kernel.constant(201, N % 32 ? "false" : "true").constant(202, K % 16 ? "false" : "true");
  kernel.buffer(0, A)
      .buffer(1, B)
      .buffer(3, std::vector<T>(static_cast<std::size_t>(M * N)))
      .value(4, params);
  kernel.grid({static_cast<unsigned>(params.tiles_n), static_cast<unsigned>(params.tiles_m), 1}, {32, 2, 2});
  const auto D = run(kernel).template values<T>(3);
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      int sum = 0;
      for (int k = 0; k < K; ++k) {
        sum += a[static_cast<std::size_t>(trans_a ? k * M + m : m * K + k)] *
               b[static_cast<std::size_t>(trans_b ? n * K + k : k * N + n)];
      }
      ASSERT_EQ(float(D[static_cast<std::size_t>(m * N + n)]), float(sum)) << variant << " " << m << " " << n;
    }
  }
}

TEST_P(PublicKernels, MlxSteelGemmOfThreadElements) {
  const auto run = [](const KernelRun& kernel) { return run_clean(kernel); };
  expect_steel_gemm<Half>("steel_gemm_fused_nn_float16_float16_bm32_bn32_bk16_wm2_wn2", 64, 32, 48, false,
                          false, run);
  expect_steel_gemm<Half>("steel_gemm_fused_nt_float16_float16_bm32_bn32_bk16_wm2_wn2", 37, 50, 21, false,
                          true, run);
  expect_steel_gemm<float>("steel_gemm_fused_tn_float32_float32_bm32_bn32_bk16_wm2_wn2", 37, 50, 21, true,
                           false, run);
}

TEST(PublicKernelModules, MaxThreadsOfATemplateAreThoseOfItsInstance) {
  KernelRun kernel(source_path("mlx/steel_gemm.metal"),
                   "steel_gemm_fused_nn_float16_float16_bm32_bn32_bk16_wm2_wn2");
  kernel.include(source_path("mlx").parent_path());
  for (const auto index : {10u, 100u, 200u, 201u, 202u}) kernel.constant(index, "false");
  EXPECT_EQ(compile(kernel.source(), Flavour::fast)->max_threads_per_threadgroup(), 128u);
}

TEST_P(PublicKernels, MlxComplexSumInThreadgroupMemory) {
  std::vector<float> values = whole_numbers<float>(200, -9, 9);
  float real = 0, imaginary = 0;
  for (std::size_t i = 0; i < 100; ++i) real += values[2 * i], imaginary += values[2 * i + 1];
  KernelRun kernel(source_path("mlx/steel_gemm.metal"), "complex_sum");
  kernel.include(source_path("mlx").parent_path());
  kernel.buffer(0, values)
      .buffer(1, std::vector<float>(2))
      .value(2, std::uint32_t{100})
      .grid({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(run_clean(kernel).values<float>(1), (std::vector<float>{real, imaginary}));
}

TEST_P(PublicKernels, MlxQuantizedMatrixVector) {
  constexpr std::size_t kIn = 1024, kOut = 16, kGroup = 64;
  const auto packed = whole_numbers<std::uint8_t>(kOut * kIn / 2, 0, 255, 5);
  const auto x = whole_numbers<int>(kIn, -1, 1, 6);
  const auto scale_steps = whole_numbers<int>(kOut * kIn / kGroup, 0, 2, 8);
  std::vector<Half> scales, biases;
  for (const int step : scale_steps) {
    scales.push_back(Half(std::ldexp(0.25f, step)));
    biases.push_back(Half(-0.5f * float(step)));
  }
  KernelRun kernel(source_path("mlx/quantized.metal"), "qmv_fast_half_gs_64_b_4_batch_0");
  kernel.buffer(0, packed).buffer(1, scales).buffer(2, biases).buffer(3,
                                                                      std::vector<Half>(x.begin(), x.end()));
  kernel.buffer(4, std::vector<Half>(kOut)).value(5, std::int32_t(kIn)).value(6, std::int32_t(kOut));
  kernel.grid({1, 2, 1}, {32, 2, 1});
  const auto y = run_clean(kernel).values<Half>(4);
  for (std::size_t row = 0; row < kOut; ++row) {
    float sum = 0;
    for (std::size_t k = 0; k < kIn; ++k) {
      const int q = packed[(row * kIn + k) / 2] >> (k % 2 * 4) & 15;
      const std::size_t group = (row * kIn + k) / kGroup;
      sum += float(x[k]) * (float(scales[group]) * float(q) + float(biases[group]));
    }
    EXPECT_EQ(float(y[row]), float(Half(sum))) << row;
  }
}

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
