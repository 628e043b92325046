// Faults of own operations that only planned sizes, planned values or turns of simdgroups show.
#include <gmock/gmock.h>

#include <regex>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {
namespace {

using testing::HasSubstr;

struct Change {
  const char* name;
  const char* right;  ///< in the kernel's text
  const char* wrong;
  const char* says;
};
void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

class OwnFaults : public testing::TestWithParam<Change> {
 protected:
  /// Verifies a kernel in fast mode. With few drawn cases, what is found is found by plans.
  std::string verify(const std::string& metal, const std::string& manifest, const std::string& reference,
                     const char* cases = "2") {
    scratch_.write("k.metal", "#include <metal_stdlib>\nusing namespace metal;\n" + metal);
    scratch_.write("k.reference.cpp", reference);
    scratch_.write("m.toml", manifest);
    const auto result = assay({"verify", "--mode", "fast", "--numerics", "strict", "--cases", cases,
                               "--manifest", (scratch_ / "m.toml").string()});
    return std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
  }

  Scratch scratch_;
};

// Each token's row through the weights of its expert: an offset is an index times a size, and 16 bits hold
// each of them.
constexpr const char* kExperts = R"(kernel void k(device const half* x [[buffer(0)]],
    device const half* w [[buffer(1)]], device const int* ids [[buffer(2)]],
    device float* y [[buffer(3)]], constant uint& N [[buffer(4)]], constant uint& K [[buffer(5)]],
    uint2 at [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  const uint e = ids[at.y];
  device const half* row = w + (ulong(e) * N + at.x) * K;
  float sum = 0;
  for (uint i = lane; i < K; i += 32) sum += float(x[at.y * K + i]) * float(row[i]);
  sum = simd_sum(sum);
  if (lane == 0) y[at.y * N + at.x] = sum;
}
)";
constexpr const char* kExpertsManifest = R"([[operation]]
name = "experts"
reference = "k.reference.cpp"
dimensions = [{ name = "T", largest = 8 }, { name = "E", largest = 8 }, { name = "N", largest = 64 },
  { name = "K", largest = 64, reduced = true }]
tensors = [
  { name = "x", type = "half", shape = ["T", "K"] },
  { name = "w", type = "half", shape = ["E", "N", "K"] },
  { name = "ids", type = "int", shape = ["T"], values = { below = "E" } },
  { name = "y", type = "float", shape = ["T", "N"], access = "out" },
]
[[kernel]]
name = "k"
source = "k.metal"
operation = "experts"
arguments = ["x", "w", "ids", "y", "N", "K"]
threads_per_threadgroup = 32
grid = ["N", "T", 1]
)";
constexpr const char* kExpertsReference = R"(void reference() {
  for (Index t = 0; t < T; ++t)
    for (Index n = 0; n < N; ++n) y(t, n) = sum(K, [&](Index k) { return x(t, k) * w(ids(t), n, k); });
}
)";

using OffsetsOfProducts = OwnFaults;

TEST_P(OffsetsOfProducts, LeaveSixteenBits) {
  const auto& [name, right, wrong, says] = GetParam();
  EXPECT_THAT(verify(with(kExperts, right, wrong), kExpertsManifest, kExpertsReference), HasSubstr(says));
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, OffsetsOfProducts,
    testing::Values(Change{"Right", "ulong(e) * N", "ulong(e) * N", "1 of 1 kernels pass"},
                    Change{"InUshort", "ulong(e) * N", "ulong(ushort(e * N))", "k: WRONG RESULT"},
                    Change{"InShort", "ulong(e) * N", "long(short(e * N))", "k: "}),
    [](const auto& info) { return info.param.name; });

// A weighted mean whose weights are exp() of products less their largest.
constexpr const char* kAttention = R"(kernel void k(device const half* q [[buffer(0)]],
    device const half* w [[buffer(1)]], device const half* v [[buffer(2)]], device float* y [[buffer(3)]],
    constant uint& L [[buffer(4)]], uint row [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  float most = -INFINITY, total = 0, mean = 0;
  for (uint i = 0; i < L; ++i) {
    const float score = simd_sum(float(q[row * 32 + lane]) * float(w[i * 32 + lane]));
    const float larger = max(most, score);
    const float shrink = exp(most - larger), weight = exp(score - larger);
    total = total * shrink + weight;
    mean = mean * shrink + weight * float(v[i]);
    most = larger;
  }
  if (lane == 0) y[row] = mean / total;
}
)";
constexpr const char* kAttentionManifest = R"([[operation]]
name = "attention"
reference = "k.reference.cpp"
dimensions = [{ name = "M", largest = 16 }, { name = "L", largest = 64 }]
tensors = [
  { name = "q", type = "half", shape = ["M", 32], never = ["NaN", "infinity"] },
  { name = "w", type = "half", shape = ["L", 32], never = ["NaN", "infinity"] },
  { name = "v", type = "half", shape = ["L"], never = ["NaN", "infinity"] },
  { name = "y", type = "float", shape = ["M"], access = "out" },
]
[[kernel]]
name = "k"
source = "k.metal"
operation = "attention"
arguments = ["q", "w", "v", "y", "L"]
threads_per_threadgroup = 32
grid = ["M", 1, 1]
requires = { L_max = 300 }
)";
constexpr const char* kAttentionReference = R"(void reference() {
  Number shrink = 1;
  for (Index l = 0; l < L; ++l) shrink = shrink * exp(Number(0));
  for (Index m = 0; m < M; ++m) {
    const auto score = [&](Index l) { return sum(32, [&](Index i) { return q(m, i) * w(l, i); }); };
    const Number most = largest(L, score);
    Number total, mean;
    for (Index l = 0; l < L; ++l) {
      const Number weight = exp(score(l) - most) * shrink;
      total += weight;
      mean += weight * v(l);
    }
    y(m) = mean / total;
  }
}
)";

using MaximaOfProducts = OwnFaults;

TEST_P(MaximaOfProducts, LieBelowAnyOtherStart) {
  const auto& [name, right, wrong, says] = GetParam();
  EXPECT_THAT(verify(with(kAttention, right, wrong), kAttentionManifest, kAttentionReference),
              HasSubstr(says));
}

INSTANTIATE_TEST_SUITE_P(Starts, MaximaOfProducts,
                         testing::Values(Change{"MinusInfinity", "-INFINITY", "-INFINITY",
                                                "1 of 1 kernels pass"},
                                         Change{"LowestHalf", "-INFINITY", "-65504.0f", "k: WRONG RESULT"}),
                         [](const auto& info) { return info.param.name; });

// How many of 128 elements are equal in their last two bits, counted in threadgroup memory. The threads that
// take the counts come last where all take turns.
constexpr const char* kCounts =
    R"(kernel void k(device const uint* x [[buffer(0)]], device uint* y [[buffer(1)]],
    uint group [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup atomic_uint counts[4];
  if (t < 4) atomic_store_explicit(&counts[t], 0, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&counts[x[group * 128 + t] & 3], 1, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);  // all have counted
  if (t >= 124) y[group * 4 + t - 124] = atomic_exchange_explicit(&counts[t - 124], 0, memory_order_relaxed);
}
)";
constexpr const char* kCountsManifest = R"([[operation]]
name = "counts"
reference = "k.reference.cpp"
dimensions = [{ name = "M", largest = 8 }]
tensors = [
  { name = "x", type = "uint", shape = ["M", 128], values = "bits" },
  { name = "y", type = "uint", shape = ["M", 4], access = "out" },
]
[[kernel]]
name = "k"
source = "k.metal"
operation = "counts"
arguments = ["x", "y"]
threads_per_threadgroup = 128
grid = ["M", 1, 1]
requires = { M_max = 64 }
)";
constexpr const char* kCountsReference = R"(void reference() {
  for (Index m = 0; m < M; ++m) {
    Index counts[4] = {};
    for (Index i = 0; i < 128; ++i) ++counts[x(m, i) & 3];
    for (Index i = 0; i < 4; ++i) y(m, i) = counts[i];
  }
}
)";

using OrdersOfSimdgroups = OwnFaults;

// Atomics are no race, and an exchange gives what is newest: nothing but the order tells.
TEST_P(OrdersOfSimdgroups, ShowAMissingBarrierBetweenAtomics) {
  const auto& [name, right, wrong, says] = GetParam();
  EXPECT_THAT(verify(with(kCounts, right, wrong), kCountsManifest, kCountsReference, "40"), HasSubstr(says));
}

INSTANTIATE_TEST_SUITE_P(
    Barriers, OrdersOfSimdgroups,
    testing::Values(Change{"There", "// all", "// all", "1 of 1 kernels pass"},
                    Change{"Missing", "threadgroup_barrier(mem_flags::mem_threadgroup);  // all", "// all",
                           "The failing case is right if threadgroups run one by one and the threads of each "
                           "take turns."}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace assay::end_to_end
