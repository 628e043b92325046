// A look at JSON from strangers before it is read, in time that grows with its length alone: nlohmann-json's
// own callback looks through each object again for every object in it.
#pragma once

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::process {

class JsonWatch final : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::function<void(const std::string& key)> twice = {};  ///< a key that its object has had already
  std::function<void()> too_deep = {};
  std::size_t deepest = std::numeric_limits<std::size_t>::max();  ///< so many objects and lists within others

  /// Up to the first place that is no JSON, of which json::parse() says more.
  void look(std::string_view text) { nlohmann::json::sax_parse(text.begin(), text.end(), this); }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (twice && !open_.back().insert(name).second) twice(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool open() {
    open_.emplace_back();
    if (open_.size() > deepest && too_deep) too_deep();
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> open_;  ///< the keys of each object that is open
};

}  // namespace assay::process
