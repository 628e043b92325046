// Typed access to the fields of a TOML table; whatever does not fit is a ManifestError with file and line.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

class TomlFields {
 public:
  /// `prefix` comes before a key in messages, e.g. "tile.". `table` must outlive this.
  TomlFields(const toml::table& table, std::filesystem::path file, std::string prefix = "");

  bool has(std::string_view key) const { return table_.contains(key); }

  /// Line of a key's value; of the table where the key is absent.
  std::uint32_t line(std::string_view key) const;

  /// The value, and remembers that `key` is known. Null where absent.
  const toml::node* find(std::string_view key);
  const toml::node& require(std::string_view key, std::string_view what_it_is);

  /// A name, a path, a line: not empty, no control characters, at most `most` bytes.
  std::string string(std::string_view key, const toml::node& node, std::size_t most = 4000) const;
  /// Any text, of several lines too, or empty.
  std::string text(std::string_view key, const toml::node& node) const;
  std::int64_t integer(std::string_view key, const toml::node& node, std::int64_t min,
                       std::int64_t max) const;
  /// A finite number, at least `min`.
  double number(std::string_view key, const toml::node& node,
                double min = std::numeric_limits<double>::lowest()) const;
  /// A string, boolean or number as the text that a compiler would be given: one line.
  std::string literal(std::string_view key, const toml::node& node, std::string_view yes,
                      std::string_view no) const;
  const toml::array& array(std::string_view key, const toml::node& node) const;

  /// The table under `key`; empty fields where it is absent.
  TomlFields table(std::string_view key);

  /// Calls visit(key, node) for every key and marks it known.
  void each(const std::function<void(const std::string&, const toml::node&)>& visit);

  /// Throws if the table has a key that nobody asked for.
  void finish() const;

  [[noreturn]] void fail(std::string_view key, const toml::node* at, std::string_view what) const;

 private:
  void refuse_control(std::string_view key, const toml::node& node, std::string_view value) const;

  const toml::table& table_;
  std::filesystem::path file_;
  std::string prefix_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace assay
