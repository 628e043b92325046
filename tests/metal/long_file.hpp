// A long Metal file, as the preprocessor leaves one: for what must not grow faster than the file.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace assay::metal {

/// Lines of one unit of long_file(), and of what stands around the units.
constexpr std::size_t kUnitLines = 63, kOtherLines = 10;

/// What every unit of a long file has.
enum class Unnamed {
  none,  ///< nothing that a kernel uses without naming it: all of a unit can be pruned
  some,  ///< an enumeration over uint, a vector type, an operator, a specialisation: they always stay
};

/// One of everything that Metal texts are made of: an enumeration with its typedef, vector types, a function
/// constant whose index is an enumerator, a struct with operators, a table, overloads that differ by address
/// space, swizzles, threadgroup memory, matrices between barriers, a specialisation, a kernel template and
/// its instantiations on one line. `sum<n>` calls `sum<n - 1>`.
inline std::string unit_of_file(std::size_t n, Unnamed unnamed) {
  static constexpr const char* kText = R"(
# {line} "long.h" 2 3
typedef enum Slot{n}{base} {{ slot{n}_a = {n}, slot{n}_b, slot{n}_c }} Slot{n};
{half4} __attribute__((ext_vector_type(4)));
constant bool flag{n} [[function_constant(slot{n}_a)]];
constant float table{n}[16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
struct alignas(16) Block{n} {{
  half scale;
  packed_half4 pair;
  uchar bytes[8];
  half first() const thread {{ return scale; }}
  half first() const device {{ return scale; }}
  float value(uint i) const constant {{ return float(bytes[i & 7u]) * 0.5h + 1.0h; }}
}};
inline Block{n} {plus}(Block{n} a, Block{n} b) {{
  a.scale = a.scale + b.scale * 2.0h - a.pair.x / 4.0h;
  return a;
}}
template <typename T, int Width = 4>
inline vec<T, 4> pick{n}(vec<T, 4> v, bool low) {{
  vec<T, 4> all = vec<T, 4>(low ? v.xy : v.zw, v.wzyx.xy);
  for (int i = 0; i < Width && i < 4; ++i) {{
    all[i] += v.x * v.y + (v.z - T(i)) * all[i] - v.w;
  }}
  return low ? all.wzyx : all;
}}
template <typename T> inline T twice{n}(T x) {{ return x + x; }}
{twice}(float x) {{ return 2.0f * x; }}
inline float dot{n}(const device float* a, thread const float* b) {{ return a[0] * b[0] + a[1] * b[1]; }}
inline float length{n}(const device float* a) {{ return a[0] * a[0] + a[1] * a[1]; }}
inline float length{n}(constant float* a) {{ return a[0] * a[0] + a[1] * a[1]; }}
inline void multiply{n}(threadgroup float* tile) {{
  simdgroup_float8x8 left, right = simdgroup_float8x8(0.0f);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_load(left, tile, 8);
  simdgroup_multiply_accumulate(right, left, left, right);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_store(right, tile, 8);
}}
inline float sum{n}(const device float* x, threadgroup float* shared, uint lane) {{
  float4 v = float4(x[lane], x[lane + 1], x[lane + 2], x[lane + 3]);
  float own[2] = {{v.x, v.y}};
#pragma METAL fp contract(off)
  float total = v.x * v.x + v.y * v.y - table{n}[lane & 15u];
  if (is_function_constant_defined(flag{n}) && lane < 4u) {{
    total -= dot{n}(x, own) + length{n}(x) * float(slot{n}_b);
  }}
  shared[lane] = total;
  multiply{n}(shared);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float4 w = pick{n}<float>(v.wzyx, lane > 2u) + pick{n}(lane < 1u ? v.xyzw : v.zwxy, true);
  total += w.x * 3.0f + w.yz.x + twice{n}(w.w) + shared[(lane + 1u) & 31u] * (float)lane;
  return total{rest};
}}
template <typename T, int Tile>
[[kernel, max_total_threads_per_threadgroup(64)]] void tiles{n}(const device T* a [[buffer(0)]],
                        device float* out [[buffer(1)]], const constant uint& size [[buffer(2)]],
                        uint lane [[thread_index_in_simdgroup]]) {{
  threadgroup float shared[Tile * 8], *cursor = shared;
  multiply{n}(cursor);
  for (uint i = lane; i < size; i += 32u) out[i] += float(a[i]) * shared[i & 63u] + sum{n}(out, shared, lane);
}}
template [[host_name("tiles{n}_f")]] [[kernel]] void tiles{n}<float, 8>(const device float*, device float*, const constant uint&, uint); template [[host_name("tiles{n}_h")]] [[kernel]] void tiles{n}<half, 8>(const device half*, device float*, const constant uint&, uint);
)";
  const bool some = unnamed == Unnamed::some;
  return fmt::format(fmt::runtime(kText), fmt::arg("n", n), fmt::arg("line", n * kUnitLines + 1),
                     fmt::arg("base", some ? " : uint" : ""),
                     fmt::arg("half4", some ? fmt::format("typedef half half4_{}", n)
                                            : fmt::format("using half4_{} = half", n)),
                     fmt::arg("plus", some ? "operator+" : fmt::format("plus{}", n)),
                     fmt::arg("twice", some ? fmt::format("template <> inline float twice{}<float>", n)
                                            : fmt::format("inline float twice{}", n)),
                     fmt::arg("rest", n == 0 ? "" : fmt::format(" + sum{}(x, shared, lane)", n - 1)));
}

/// A kernel that uses unit `n`, and with it all before.
inline std::string kernel_of_unit(const std::string& name, std::size_t n) {
  return fmt::format(
      "kernel void {}(device float* x [[buffer(0)]], uint lane [[thread_index_in_simdgroup]]) {{\n"
      "  threadgroup float shared[64];\n  x[lane] = sum{}(x, shared, lane);\n}}\n",
      name, n);
}

/// `units` units, and behind them the kernels `uses_one` and `uses_all`.
inline std::string long_file(std::size_t units, Unnamed unnamed) {
  std::string text = "# 1 \"long.metal\"\nusing namespace metal;\n";
  for (std::size_t n = 0; n < units; ++n) text += unit_of_file(n, unnamed);
  return text + kernel_of_unit("uses_one", 0) + kernel_of_unit("uses_all", units - 1);
}

}  // namespace assay::metal
