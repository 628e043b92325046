// Small model files for tests, in a folder of their own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

#include "golden/model/model_file.hpp"

namespace assay::golden {

/// Gone afterwards, with what is in it.
class ModelFolder {
 public:
  ModelFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "model_test.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~ModelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  std::filesystem::path file() const { return path_ / "model.safetensors"; }

 private:
  std::filesystem::path path_;
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
