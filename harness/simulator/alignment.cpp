#include "harness/simulator/alignment.hpp"

#include <algorithm>

namespace assay::simulator {
namespace {

bool drop(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

PointedTo::PointedTo(std::string_view given, std::uint32_t of_type, bool of_class)
    : name(given.substr(0, given.find(" (aka "))), alignment(of_type) {
  drop(name, "'");
  if (name.ends_with('\'')) name.remove_suffix(1);
  while (drop(name, "const ") || drop(name, "volatile ")) {
  }
  const bool is_class = drop(name, "struct ") || drop(name, "class ") || drop(name, "union ") || of_class;
  for (const std::string_view scope : {"metal::", "assay_msl::"}) drop(name, scope);
  if (name == "_Float16") name = "half";
  if (!is_class || name == "bfloat" || name.starts_with("packed_")) return;
  const char last = name.empty() ? '\0' : name.back();
  if (last == '2' && !name.ends_with("x2")) {
    alignment = std::max(1u, of_type / 2);
  } else if (last == '2' || last == '3' || last == '4' || name.starts_with("vec") ||
             name.starts_with("matrix")) {
    alignment = std::max(1u, of_type / 4);  // vec says nothing of its length; three elements lie as four do
  } else {
    alignment = std::min(of_type, 4u);
  }
}

}  // namespace assay::simulator
