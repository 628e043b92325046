// Each word of `semantics`, for operations that know it: the edits that give a kernel of ours that meaning.
#pragma once

#include <string>
#include <vector>

#include "tests/semantics/kernels.hpp"

namespace assay::semantics {

inline std::vector<Other> words() {
  const std::string fp4 = "include/fp4.h", int4 = "include/int4.h", trellis = "include/trellis.h",
                    striped = "marlin_gemm_fp4_striped.metal", zero = "nonfinite_weights = \"zero\"",
                    scales = "scales = \"N x groups\"";
  const std::string by_column =
      "[column * ((shape.K + shape.group_size - 1) / shape.group_size) + k / shape.group_size]";
  const Edit fp4_zero = {fp4, "weights[i] = i < inside ? fp4_to_half(code) * scale : half(0);",
                         "const half weight = fp4_to_half(code) * scale;\n"
                         "      weights[i] = i < inside && isfinite(weight) ? weight : half(0);"};
  const std::vector<Edit> int4_zero = {
      {int4, "i < inside ? pair.x", "i < inside && isfinite(pair.x) ? pair.x"},
      {int4, "i + 4 < inside ? pair.y", "i + 4 < inside && isfinite(pair.y) ? pair.y"}};
  const Edit trellis_zero = {trellis, "// the float chain: one rounding to half",
                             "\n        if (!isfinite(weights[i])) weights[i] = 0;"};
  const Edit fp4_scales = {fp4, "scale = scales[k / shape.group_size * shape.N + column];",
                           "scale = scales" + by_column + ";"};
  const Edit int4_scales = {int4, "scale = scales[group];", "scale = scales" + by_column + ";"};
  const Edit int4_zeros = {int4, "offset_of(zeros[group])", "offset_of(zeros" + by_column + ")"};
  const Edit trellis_scales = {trellis, "scale = scales[k / shape.group_size * shape.N + column];",
                               "scale = scales" + by_column + ";"};
  const Edit columns = {trellis, "(k + i) % TRELLIS_TILE * TRELLIS_TILE + column % TRELLIS_TILE",
                        "column % TRELLIS_TILE * TRELLIS_TILE + (k + i) % TRELLIS_TILE"};
  const auto rans = [](const std::string& file, const std::string& name, const std::string& scalars) {
    return std::vector<Edit>{
        {file, "constant float& scale [[buffer(5)]], constant float& zero_point [[buffer(6)]],",
         "constant Affine& affine [[buffer(5)]],"},
        {file, "kernel void " + name, "struct Affine { " + scalars + " };\n\nkernel void " + name},
        {file, "* scale + zero_point;", "* affine.scale + affine.zero_point;"}};
  };
  const auto one_struct = [](const std::string& list) {
    return std::vector<Edit>{{"entry", "\"scale\", \"zero_point\"", list + ", \"-\""}};
  };
  return {
      {"NonfiniteFp4Weights", "dequant_fp4", zero, {fp4_zero}},
      {"NonfiniteFp4", "marlin_gemm_fp4_decode", zero, {fp4_zero}},
      {"NonfiniteU4", "marlin_gemm_fused_u4_float", zero, int4_zero},
      {"NonfiniteS4", "marlin_gemm_fused_s4", zero, int4_zero},
      {"NonfiniteStriped", "marlin_gemm_fp4_striped", zero, {fp4_zero}},
      {"NonfiniteTrellis", "gemm_trellis_packed_decode", zero, {trellis_zero}},
      {"NonfiniteExperts", "gemm_trellis_moe", zero, {trellis_zero}},
      {"ScalesFp4", "marlin_gemm_fused_fp4", scales, {fp4_scales}},
      {"ScalesU4", "dequant_u4", scales, {int4_scales}},
      {"ZerosS4", "marlin_gemm_fused_s4", "zeros = \"N x groups\"", {int4_zeros}},
      {"ScalesStriped", "marlin_gemm_fp4_striped", scales, {fp4_scales}},
      {"ScalesTrellis", "gemm_trellis_packed", scales, {trellis_scales}},
      {"ScalesExperts", "gemm_trellis_moe", scales, {trellis_scales}},
      {"IndicesWeights", "dequant_trellis", "indices = \"columns\"", {columns}},
      {"IndicesTrellis", "gemm_trellis_packed_decode", "indices = \"columns\"", {columns}},
      {"IndicesExperts", "gemm_trellis_moe", "indices = \"columns\"", {columns}},
      {"PartialsStriped",
       "marlin_gemm_fp4_striped",
       "partials = \"half\"",
       {{striped, "device coherent(device) float* partials", "device coherent(device) half* partials"},
        {striped, "device coherent(device) float* own_partials",
         "device coherent(device) half* own_partials"},
        {"include/reduction.h", "reduce(device coherent(device) float* partials",
         "reduce(device coherent(device) half* partials"}}},
      {"PartialsCleared",
       "marlin_zero_reduction",
       "partials = \"half\"",
       {{"marlin_zero_reduction.metal", "device float* partials", "device half* partials"}}},
      {"SeveralWords",
       "marlin_gemm_fused_u4",
       zero + ", " + scales + ", zeros = \"N x groups\"",
       {int4_zero[0], int4_zero[1], int4_scales, int4_zeros}},
      {"StructOfVector", "fused_rans_gemv", "",
       rans("fused_rans_gemv.metal", "fused_rans_gemv", "float scale, zero_point;"),
       one_struct("[\"scale\", \"zero_point\"]")},
      {"StructWithADimension", "fused_rans_gemm", "",
       rans("fused_rans_gemm.metal", "fused_rans_gemm", "float zero_point; ushort lanes; float scale;"),
       one_struct("[\"zero_point\", \"streams:ushort\", \"scale\"]")},
  };
}

}  // namespace assay::semantics
