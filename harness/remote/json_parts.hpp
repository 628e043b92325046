// Lists and values that may be absent, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace assay::remote {

/// null where there is none.
template <class T>
nlohmann::json optional_to_json(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

/// Its inverse; throws nlohmann::json::exception for a value of another type.
template <class T>
std::optional<T> optional_from(const nlohmann::json& value) {
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

template <class T, class One>
nlohmann::json list_to_json(const std::vector<T>& values, const One& one_to_json) {
  nlohmann::json list = nlohmann::json::array();
  for (const T& one : values) list.push_back(one_to_json(one));
  return list;
}

}  // namespace assay::remote
