// A draft as TOML.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/draft/draft.hpp"

namespace assay::draft {
namespace {

namespace fs = std::filesystem;

/// A basic string of TOML.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      all += std::string("\\") + c;
    } else if (byte < 32 || byte == 127) {
      all += fmt::format("\\u{:04X}", byte);
    } else {
      all += c;
    }
  }
  return all + '"';
}

std::string path_text(const fs::path& path, const fs::path& folder) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  if (folder.empty()) return quoted(absolute.string());
  const fs::path relative = absolute.lexically_relative(fs::absolute(folder).lexically_normal());
  return quoted(relative.empty() ? absolute.string() : relative.string());
}

std::string paths_text(const std::vector<fs::path>& paths, const fs::path& folder) {
  std::vector<std::string> all;
  all.reserve(paths.size());
  for (const auto& path : paths) all.push_back(path_text(path, folder));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string dimension_text(const DraftDimension& one) {
  std::string text;
  const auto add = [&](const char* field, const std::optional<std::int64_t>& value) {
    if (value) text += fmt::format(", {} = {}", field, *value);
  };
  add("least", one.sizes.least);
  add("multiple", one.sizes.multiple);
  auto largest = one.sizes.largest;
  if (!largest && one.largest != 0 && one.sizes.values.empty())
    largest = std::max({one.largest, one.sizes.least.value_or(1), one.sizes.multiple.value_or(1)});
  add("largest", largest);
  if (!one.sizes.values.empty()) text += fmt::format(", values = [{}]", fmt::join(one.sizes.values, ", "));
  return text.empty() ? quoted(one.name) : fmt::format("{{ name = {}{} }}", quoted(one.name), text);
}

// The largest size that the user gave, or that its type holds, is a limit: `assay` refuses larger sizes
// rather than running them.
std::string requirements_text(const std::vector<DraftDimension>& dimensions) {
  std::vector<std::string> all;
  for (const auto& one : dimensions) {
    const std::int64_t limit = one.sizes.largest.value_or(one.limit);
    if (limit != 0) all.push_back(fmt::format("{}_max = {}", one.name, limit));
  }
  return all.empty() ? "" : fmt::format("requires = {{ {} }}\n", fmt::join(all, ", "));
}

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

template <class List>
std::string sizes_text(const List& sizes) {
  std::vector<std::string> all;
  all.reserve(sizes.size());
  for (const std::string& one : sizes) all.push_back(is_number(one) ? one : quoted(one));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

std::string buffer_text(const DraftBuffer& one) {
  std::string text = fmt::format("  {{ name = {}, type = {}, shape = {}", quoted(one.name), quoted(one.type),
                                 sizes_text(one.shape));
  if (one.access != "in") text += fmt::format(", access = {}", quoted(one.access));
  if (!one.values.empty()) text += ", values = " + one.values;
  text += " },";
  if (!one.question.empty()) text += "  # to fill in: " + one.question;
  return text + '\n';
}

/// One line for each index.
std::string textures_text(const Draft& draft) {
  std::vector<std::string> all;
  for (const TextureGuess& one : draft.textures) {
    if (one.index >= all.size()) all.resize(one.index + 1, "\"-\"");
    all[one.index] = fmt::format("{{ tensor = {}, kind = \"{}\", format = \"{}\" }}", quoted(one.tensor),
                                 name_of(one.kind), device::layout_of(one.format).name);
  }
  std::string text;
  if (!all.empty()) text += fmt::format("textures = [\n  {},\n]\n", fmt::join(all, ",\n  "));
  if (draft.samplers > 0) {
    const std::vector<std::string> samplers(
        draft.samplers, "{ filter = \"linear\", coordinates = \"normalized\", address = \"clamp_to_edge\" }");
    text += fmt::format("samplers = [\n  {},\n]\n", fmt::join(samplers, ",\n  "));
  }
  return text;
}

}  // namespace

std::string manifest_text(const Draft& draft, const fs::path& folder) {
  const auto& source = draft.source;
  std::string text =
      "# Drafted by assay from the kernel's text. Without an operation that says what is right,\n"
      "# `assay verify` checks all that needs no answer.\n\n";
  text += fmt::format("[[kernel]]\nname = {}\n", quoted(draft.name));
  if (draft.name != source.function) text += fmt::format("function = {}\n", quoted(source.function));
  text += fmt::format("source = {}\n", path_text(source.path, folder));
  if (!source.text_prefix.empty())
    text += fmt::format("text_prefix = {}\n", paths_text(source.text_prefix, folder));
  if (!source.include_dirs.empty())
    text += fmt::format("include_dirs = {}\n", paths_text(source.include_dirs, folder));
  for (const auto& question : draft.questions) text += "# " + question + '\n';
  const auto table = [&](const char* field, const auto& values, const auto& key) {
    if (values.empty()) return;
    std::vector<std::string> all;
    all.reserve(values.size());
    for (const auto& [name, value] : values) all.push_back(fmt::format("{} = {}", key(name), quoted(value)));
    text += fmt::format("{} = {{ {} }}\n", field, fmt::join(all, ", "));
  };
  table("defines", source.defines, [](const std::string& name) { return name; });
  table("function_constants", source.function_constants,
        [](std::uint32_t index) { return std::to_string(index); });
  if (!draft.arguments.empty()) text += fmt::format("arguments = [{}]\n", fmt::join(draft.arguments, ", "));
  text += textures_text(draft);
  const auto& t = draft.threads;
  text += t.y == 1 && t.z == 1 ? fmt::format("threads_per_threadgroup = {}\n", t.x)
                               : fmt::format("threads_per_threadgroup = [{}, {}, {}]\n", t.x, t.y, t.z);
  text += fmt::format("grid = {}\n", sizes_text(draft.grid));
  if (draft.in_threads) text += "grid_unit = \"threads\"\n";
  if (!draft.threadgroup_memory.empty())
    text += fmt::format("threadgroup_memory = {}\n", sizes_text(draft.threadgroup_memory));
  if (draft.resident_threadgroups > 1)
    text += fmt::format("resident_threadgroups = {}\n", draft.resident_threadgroups);
  text += requirements_text(draft.dimensions);
  std::vector<std::string> dimensions;
  for (const auto& one : draft.dimensions) dimensions.push_back(dimension_text(one));
  text += fmt::format("dimensions = [{}]\ntensors = [\n", fmt::join(dimensions, ", "));
  for (const auto& one : draft.buffers) text += buffer_text(one);
  return text + "]\n";
}

}  // namespace assay::draft
