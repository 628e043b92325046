#include "harness/report/fields.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/verify/shown.hpp"

namespace assay::report {

Fields::Fields(const nlohmann::json& object, std::string place) : object_(object), place_(std::move(place)) {
  if (!object.is_object()) throw ReportError(fmt::format("{}: must be an object", place_));
}

std::string Fields::path_of(const std::string& name) const {
  return fmt::format("{}{}{}", place_, place_.ends_with(": ") ? "" : ".", shown(name));
}

void Fields::refuse(const std::string& name, const std::string& why) const {
  throw ReportError(fmt::format("{}: {}", path_of(name), why));
}

const nlohmann::json& Fields::at(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) refuse(name, "is missing");
  return *found;
}

const std::string& Fields::text(const char* name) const {
  const auto& value = at(name);
  if (!value.is_string()) refuse(name, "must be a text");
  return value.get_ref<const std::string&>();
}

std::uint64_t Fields::number(const char* name, std::uint64_t least, std::uint64_t most) const {
  const auto& value = at(name);
  if (!value.is_number_unsigned()) refuse(name, "must be a whole number");
  const auto number = value.get<std::uint64_t>();
  if (number < least || number > most) refuse(name, fmt::format("must be from {} to {}", least, most));
  return number;
}

double Fields::seconds(const char* name) const {
  const auto& value = at(name);
  if (!value.is_number()) refuse(name, "must be a number");
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < 0) refuse(name, "must not be negative");
  return number;
}

bool Fields::flag(const char* name) const {
  const auto& value = at(name);
  if (!value.is_boolean()) refuse(name, "must be true or false");
  return value.get<bool>();
}

Fields Fields::object(const char* name) const { return {at(name), path_of(name)}; }

bool Fields::is_null(const char* name) const { return at(name).is_null(); }

std::vector<std::string> Fields::texts(const char* name) const {
  const auto& list = at(name);
  std::vector<std::string> all;
  if (!list.is_array()) refuse(name, "must be a list");
  for (const auto& one : list) {
    if (!one.is_string()) refuse(name, "must be a list of texts");
    all.push_back(one.get<std::string>());
  }
  return all;
}

std::vector<bool> Fields::flags(const char* name) const {
  const auto& list = at(name);
  std::vector<bool> all;
  if (!list.is_array()) refuse(name, "must be a list");
  for (const auto& one : list) {
    if (!one.is_boolean()) refuse(name, "must be a list of true and false");
    all.push_back(one.get<bool>());
  }
  return all;
}

std::vector<Fields> Fields::objects(const char* name) const {
  const auto& list = at(name);
  std::vector<Fields> all;
  if (!list.is_array()) refuse(name, "must be a list");
  for (std::size_t i = 0; i < list.size(); ++i) {
    all.emplace_back(list[i], fmt::format("{}[{}]", path_of(name), i));
  }
  return all;
}

std::vector<std::pair<std::string, std::uint64_t>> Fields::counts(const char* name) const {
  const auto& object = at(name);
  std::vector<std::pair<std::string, std::uint64_t>> all;
  if (!object.is_object()) refuse(name, "must be an object");
  for (const auto& [key, value] : object.items()) {
    if (!value.is_number_unsigned() || value == 0) refuse(name, "must hold counts from 1");
    all.emplace_back(key, value.get<std::uint64_t>());
  }
  return all;
}

}  // namespace assay::report
