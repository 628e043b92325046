// A folder for the files of one test, and tensors to put there.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "golden/safetensors.hpp"

namespace assay::golden {

/// Gone with the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-golden.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

template <class T>
Tensor tensor_with(std::string name, DType dtype, std::vector<std::size_t> shape,
                   const std::vector<T>& values) {
  Tensor made = assay::make_tensor(std::move(name), dtype, std::move(shape));
  const auto elements = made.as<T>();
  if (values.size() != elements.size()) throw std::logic_error("as many values as elements");
  std::copy(values.begin(), values.end(), elements.begin());
  return made;
}

}  // namespace assay::golden
