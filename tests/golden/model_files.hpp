// Small model files for tests, in a folder of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "golden/model/model_file.hpp"
#include "tests/golden/folder.hpp"

namespace assay::golden {

struct ModelFolder : Folder {
  std::filesystem::path file() const { return path() / "model.safetensors"; }
};

/// A file of this header and these bytes of data.
inline void write_model(const std::filesystem::path& path, const std::string& header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << header << data;
}

/// A file of one matrix "w"; T is float for "F32", std::uint16_t for "F16" and "BF16".
template <class T>
void write_matrix(const std::filesystem::path& path, const std::string& dtype, std::size_t rows,
                  std::size_t columns, std::span<const T> values) {
  const auto text = [](std::size_t number) { return std::to_string(number); };
  write_model(path,
              R"({"w":{"dtype":")" + dtype + R"(","shape":[)" + text(rows) + "," + text(columns) +
                  R"(],"data_offsets":[0,)" + text(values.size_bytes()) + "]}}",
              {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

}  // namespace assay::golden
