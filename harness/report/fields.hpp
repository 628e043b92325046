// Fields of a JSON object from outside: each is asked for by its name and type, and what is wrong with one is
// said in a line that names the file and the field.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::report {

/// A file that is no report, or does not fit the others. what() is one line, printable, that names file and
/// field.
class ReportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Fields {
 public:
  /// `place`: "FILE: " and the path of the object in it. Throws ReportError where it is no object.
  Fields(const nlohmann::json& object, std::string place);

  // Each throws ReportError where the field is missing or not of that type.
  const std::string& text(const char* name) const;
  std::uint64_t number(const char* name, std::uint64_t least = 0, std::uint64_t most = UINT64_MAX) const;
  double seconds(const char* name) const;  ///< not negative
  bool flag(const char* name) const;
  Fields object(const char* name) const;
  bool is_null(const char* name) const;
  std::vector<std::string> texts(const char* name) const;
  std::vector<bool> flags(const char* name) const;
  /// The objects of a list.
  std::vector<Fields> objects(const char* name) const;
  /// Counts by their names.
  std::vector<std::pair<std::string, std::uint64_t>> counts(const char* name) const;
  const nlohmann::json& value() const { return object_; }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  const nlohmann::json& at(const char* name) const;
  std::string path_of(const std::string& name) const;

  const nlohmann::json& object_;
  std::string place_;
};

}  // namespace assay::report
