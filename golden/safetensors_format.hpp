// What the reader and the writer of safetensors files share.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "assay/tensor.hpp"

namespace assay::golden {

inline constexpr std::size_t kLengthBytes = 8;
inline constexpr std::string_view kMetadataKey = "__metadata__";

inline constexpr std::array<std::pair<DType, std::string_view>, 10> kDTypeNames = {{
    {DType::u8, "U8"},
    {DType::u16, "U16"},
    {DType::u32, "U32"},
    {DType::i32, "I32"},
    {DType::f16, "F16"},
    {DType::f32, "F32"},
    {DType::f64, "F64"},
    {DType::i8, "I8"},
    {DType::i16, "I16"},
    {DType::bf16, "BF16"},
}};

/// A string from outside as it may stand in a one-line message: in quotes, ASCII, escaped, cut after
/// `longest` bytes.
std::string escaped(std::string_view text, std::size_t longest = 200);

/// A message that begins with the file's name: as it is where it does already.
std::string with_file(const std::filesystem::path& path, const std::string& what);

}  // namespace assay::golden
