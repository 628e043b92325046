// collect_types PREPROCESSED OUTPUT: the types that the stand-in headers declare where a kernel sees them, as the
// C++ file of library_types.hpp. Runs while Assay is built.
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "harness/metal/declaration.hpp"

namespace {

using namespace assay::metal;

bool declares_types(const TokenText& text, const Declaration& d) {
  return d.kind == DeclarationKind::type || text.tokens[d.header].is_any({"typedef", "using", "struct", "class"});
}

class Collector {
 public:
  explicit Collector(const TokenText& text) : text_(text), all_(declarations_of(text)) {}

  std::set<std::string> run() {
    std::set<std::string> named;  // by using-declarations of namespace metal: functions as well
    for (const auto& d : all_) {
      if (d.scope == std::vector<std::string>{"metal"} && text_.tokens[d.header].is("using")) name_used(d, named);
    }
    std::set<std::string> found;
    for (const auto& d : all_) {
      if (!declares_types(text_, d)) continue;
      const bool inside = !d.scope.empty() && d.scope[0] != "metal";
      for (const auto& name : names_of(d)) {
        if (name.starts_with("assay_") || (inside && !named.contains(name))) continue;
        found.insert(name);
      }
    }
    return found;
  }

 private:
  // Not the enumerators, which stand among the names as well.
  static std::set<std::string> names_of(const Declaration& d) {
    if (d.kind != DeclarationKind::type) return {d.names.begin(), d.names.end()};
    if (d.name == "enum" || d.name == "union") return {};  // one without a name
    return {d.name};
  }

  // using assay_msl::vec, assay_msl::exp;
  void name_used(const Declaration& d, std::set<std::string>& named) const {
    for (auto i = d.range.begin; i < d.range.end; ++i) {
      if (!text_.tokens[i].is_any({",", ";"})) continue;
      named.insert(text_.tokens[previous_significant(text_.tokens, i)].text);
    }
  }

  const TokenText& text_;
  const std::vector<Declaration> all_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const auto text = tokenize(std::string(std::istreambuf_iterator<char>(in), {}), argv[1]);
  const auto types = Collector(text).run();
  std::ofstream out(argv[2], std::ios::binary);
  out << "#include \"harness/metal/library_types.hpp\"\nnamespace assay::metal {\n"
         "const std::unordered_set<std::string_view>& library_types() {\n"
         "  static const std::unordered_set<std::string_view> kTypes = {\n";
  for (const auto& type : types) out << "      \"" << type << "\",\n";
  out << "  };\n  return kTypes;\n}\n}  // namespace assay::metal\n";
  out.close();
  if (!in || !out || types.empty()) std::cerr << "collect_types: cannot read or write\n";
  return in && out && !types.empty() ? 0 : 1;
}
