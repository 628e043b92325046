#include "harness/verify/manifest_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <utility>

#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/manifest_entry.hpp"

namespace assay {
namespace {

constexpr std::size_t kMaxTemplate = 64;

class BodyReader {
 public:
  BodyReader(TomlFields& fields, KernelEntry& entry) : fields_(fields), entry_(entry) {}

  void read() {
    refuse_others();
    body_.inputs = names("input_names");
    body_.outputs = names("output_names");
    if (body_.inputs.size() + body_.outputs.size() > kMaxArguments) {
      fields_.fail("input_names", fields_.find("input_names"),
                   fmt::format("makes {} buffers together with the outputs; Metal has {}",
                               body_.inputs.size() + body_.outputs.size(), kMaxArguments));
    }
    template_arguments();
    if (const toml::node* header = fields_.find("header"))
      body_.header = entry_.manifest.parent_path() / fields_.string("header", *header);
    body_.atomic_outputs = truth("atomic_outputs", false);
    body_.ensure_row_contiguous = truth("ensure_row_contiguous", true);
    if (const toml::node* value = fields_.find("init_value"))
      body_.init_value = fields_.number("init_value", *value);
    arguments();
    entry_.function = function_of(entry_.name);
    entry_.mlx = std::make_shared<const MlxBody>(std::move(body_));
  }

 private:
  void refuse_others() {
    for (const auto& [key, why] :
         {std::pair{"function", "is generated for a body; leave it out"},
          {"function_constants", "cannot be passed by MLX; use template"},
          {"threadgroup_memory", "cannot be passed by MLX; declare a threadgroup array in the body"},
          {"defines", "cannot be passed by MLX; write #define into the header"}}) {
      if (fields_.has(key)) fields_.fail(key, fields_.find(key), why);
    }
    if (const toml::node* unit = fields_.find("grid_unit")) {
      if (fields_.string("grid_unit", *unit) != "threads")
        fields_.fail("grid_unit", unit, "must be \"threads\" for a body, because MLX's grid counts threads");
    }
  }

  std::vector<std::string> names(const std::string& key) {
    const toml::node& node =
        fields_.require(key, "the list of names, as it is passed to mx.fast.metal_kernel");
    const toml::array& list = fields_.array(key, node);
    if (list.empty()) fields_.fail(key, &node, "is an empty list; write the names");
    std::vector<std::string> all;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string place = fmt::format("{}[{}]", key, i);
      entry_.lines[place] = list[i].source().begin.line;
      all.push_back(fields_.string(place, list[i], kMaxName));
      if (!is_identifier(all.back()))
        fields_.fail(place, &list[i], "is not a name; use letters, digits and _");
    }
    return all;
  }

  bool truth(std::string_view key, bool otherwise) {
    const toml::node* node = fields_.find(key);
    if (node == nullptr) return otherwise;
    const auto value = node->value_exact<bool>();
    if (!value) fields_.fail(key, node, "is neither true nor false");
    return *value;
  }

  void template_arguments() {
    TomlFields table = fields_.table("template");
    std::vector<std::pair<toml::source_position, MlxBody::TemplateArgument>> found;
    table.each([&](const std::string& key, const toml::node& node) {
      if (!is_identifier(key) || key.size() > kMaxName)
        table.fail(key, &node, "is not a name; use letters, digits and _");
      entry_.lines["template." + key] = node.source().begin.line;
      MlxBody::TemplateArgument one{key, false};
      if (const auto truth = node.value_exact<bool>()) {
        one.value = *truth;
      } else if (node.is_integer()) {
        one.value = table.integer(key, node, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max());
      } else if (node.is_string()) {
        one.value = table.string(key, node, kMaxName);
      } else {
        table.fail(key, &node, "is not a dtype such as \"float16\", a whole number, true or false");
      }
      found.emplace_back(node.source().begin, std::move(one));
    });
    if (found.size() > kMaxTemplate)
      fields_.fail("template", fields_.find("template"),
                   fmt::format("has {} arguments; write at most {}", found.size(), kMaxTemplate));
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [place, one] : found) body_.template_arguments.push_back(std::move(one));
  }

  // What each name stands for: the same name, or what `arguments` says. A number that Python has is an int32
  // or a float32 of MLX's.
  void arguments() {
    const std::size_t inputs = body_.inputs.size(), all = inputs + body_.outputs.size();
    const bool given = fields_.has("arguments");
    body_.lists.assign(all, false);
    if (given) {
      entry_.arguments = read_arguments(fields_, entry_.manifest, entry_.lines);
      if (entry_.arguments.size() != all) {
        fields_.fail(
            "arguments", fields_.find("arguments"),
            fmt::format("has {} entries; write one for each of the {} inputs and {} outputs, in that order",
                        entry_.arguments.size(), inputs, all - inputs));
      }
      const toml::array& list = *fields_.find("arguments")->as_array();
      for (std::size_t i = 0; i < all; ++i) body_.lists[i] = list[i].is_array();
    } else {
      for (const auto* list : {&body_.inputs, &body_.outputs}) {
        for (const std::string& name : *list) entry_.arguments.emplace_back(NamedArgument{name, {}});
      }
    }
    for (std::size_t i = 0; i < all; ++i) {
      entry_.argument_fields.push_back(given        ? fmt::format("arguments[{}]", i)
                                       : i < inputs ? fmt::format("input_names[{}]", i)
                                                    : fmt::format("output_names[{}]", i - inputs));
      as_python_has_it(entry_.arguments[i]);
    }
  }

  static void as_python_has_it(ArgumentEntry& argument) {
    if (auto* scalars = std::get_if<ScalarArgument>(&argument)) {
      for (ScalarField& field : scalars->fields) {
        if (!field.typed && field.type == ScalarType::uint) field.type = ScalarType::int_;
      }
    }
  }

  // MLX calls its kernels so; no function of a header has that name by chance.
  static std::string function_of(const std::string& name) {
    std::string function = "custom_kernel_" + name;
    std::replace_if(
        function.begin(), function.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return function;
  }

  TomlFields& fields_;
  KernelEntry& entry_;
  MlxBody body_;
};

}  // namespace

bool read_body(TomlFields& fields, KernelEntry& entry) {
  const toml::node* kind = fields.find("source_kind");
  if (kind == nullptr) {
    for (const char* key : {"input_names", "output_names", "template", "header", "ensure_row_contiguous",
                            "atomic_outputs", "init_value"}) {
      if (fields.has(key))
        fields.fail(key, fields.find(key), "goes with source_kind = \"mlx_body\"; add that, or leave it out");
    }
    return false;
  }
  if (fields.string("source_kind", *kind, kMaxName) != "mlx_body")
    fields.fail("source_kind", kind,
                "is not \"mlx_body\", the one kind besides whole files; leave it out for those");
  BodyReader(fields, entry).read();
  return true;
}

}  // namespace assay
