// What is wrong with JSON, in words for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace assay::process {

/// Without the name that nlohmann-json gives the error: "[json.exception.out_of_range.403] key 'seed' not
/// found" says "key 'seed' not found".
inline std::string words_of(const nlohmann::json::exception& error) {
  const std::string what = error.what();
  const auto name = what.find("] ");
  return what.starts_with("[json.exception") && name != std::string::npos ? what.substr(name + 2) : what;
}

}  // namespace assay::process
