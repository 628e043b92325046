#include "harness/draft/starter.hpp"

namespace assay::draft {
namespace {

constexpr const char* kManifest =
    R"(# Kernels, and what is right for them. `assay verify --manifest kernels.toml` verifies all of them.

[[operation]]
name = "rms_norm"
reference = "rms_norm.reference.cpp"       # what is right, in a few lines of C++
dimensions = ["M", { name = "N", largest = 512, reduced = true }]
tensors = [                                # the buffers: change names, types and shapes to yours
  { name = "x", type = "half", shape = ["M", "N"] },
  { name = "w", type = "half", shape = ["N"] },
  { name = "y", type = "half", shape = ["M", "N"], access = "out" },
]

[[kernel]]
name = "rms_norm"                          # of the function in the file
source = "rms_norm.metal"
operation = "rms_norm"
arguments = ["x", "w", "y", "N"]           # in the order of the buffer indices
threads_per_threadgroup = 32
grid = ["M", 1, 1]                         # a threadgroup a row
)";

constexpr const char* kKernel = R"(#include <metal_stdlib>
using namespace metal;

// y = x * w / sqrt(mean of squares of the row + 1e-5). A threadgroup of one simdgroup does a row.
// To see a report, make the loop end one too early or too late.
kernel void rms_norm(device const half* x [[buffer(0)]],  // [M, N]
                     device const half* w [[buffer(1)]],  // [N]
                     device half* y [[buffer(2)]],        // [M, N]
                     constant uint& N [[buffer(3)]],
                     uint row [[threadgroup_position_in_grid]],
                     uint lane [[thread_index_in_simdgroup]]) {
  float squares = 0;
  for (uint i = lane; i < N; i += 32) {
    const float value = x[row * N + i];
    squares += value * value;
  }
  const float scale = rsqrt(simd_sum(squares) / N + 1e-5f);
  for (uint i = lane; i < N; i += 32) y[row * N + i] = half(x[row * N + i] * scale * w[i]);
}
)";

constexpr const char* kReference =
    R"(// What is right, one row after another. A Number carries how far a kernel's result may be from it.
void reference() {
  each(M, [&](Index m) {
    const Number mean = sum(N, [&](Index n) { return x(m, n) * x(m, n); }) / N;
    const Number scale = rsqrt(mean + Number(1e-5f));
    for (Index n = 0; n < N; ++n) y(m, n) = x(m, n) * scale * w(n);
  });
}
)";

}  // namespace

std::vector<StarterFile> starter_files() {
  return {{"kernels.toml", kManifest}, {"rms_norm.metal", kKernel}, {"rms_norm.reference.cpp", kReference}};
}

}  // namespace assay::draft
