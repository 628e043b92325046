#include "harness/verify/manifest_textures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/manifest_entry.hpp"
#include "harness/verify/shown.hpp"

namespace assay {
namespace {

// Metal's argument tables; of textures the simulator has as many as of buffers.
constexpr std::size_t kMaxTextures = 31, kMaxSamplers = 16;

// By the numbers of device::TextureWrap.
constexpr std::array<std::string_view, 5> kWraps = {"clamp_to_edge", "clamp_to_zero", "clamp_to_border",
                                                    "repeat", "mirrored_repeat"};

/// The place among `words` of a field that must be one of them.
template <std::size_t Count>
std::size_t one_of(const TomlFields& fields, std::string_view key, const toml::node& node,
                   const std::array<std::string_view, Count>& words) {
  const std::string word = fields.string(key, node, kMaxName);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    fields.fail(key, &node, fmt::format("`{}` is not one of {}", shown(word), fmt::join(words, ", ")));
  return static_cast<std::size_t>(found - words.begin());
}

TextureArgument read_texture(TomlFields& fields) {
  TextureArgument texture;
  texture.tensor = fields.string(
      "tensor", fields.require("tensor", "the tensor of the operation whose elements are its texels"),
      kMaxName);
  if (const toml::node* kind = fields.find("kind"))
    texture.kind = static_cast<TextureKind>(1 + one_of(fields, "kind", *kind, device::kTextureKinds));
  const toml::node& format = fields.require("format", "what a texel is, such as \"r32float\"");
  const std::string name = fields.string("format", format, kMaxName);
  const auto known = device::texture_format(name);
  if (!known) {
    std::vector<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(device::TextureFormat::rgba32sint); ++i)
      names.push_back(device::layout_of(static_cast<device::TextureFormat>(i)).name);
    fields.fail("format", &format, fmt::format("`{}` is not one of {}", shown(name), fmt::join(names, ", ")));
  }
  texture.format = *known;
  return texture;
}

device::Sampler read_sampler(TomlFields& fields) {
  device::Sampler sampler;
  constexpr std::array<std::string_view, 2> kFilters = {"nearest", "linear"};
  constexpr std::array<std::string_view, 2> kCoordinates = {"normalized", "pixel"};
  if (const toml::node* filter = fields.find("filter"))
    sampler.linear = one_of(fields, "filter", *filter, kFilters) == 1;
  if (const toml::node* coordinates = fields.find("coordinates"))
    sampler.pixels = one_of(fields, "coordinates", *coordinates, kCoordinates) == 1;
  const toml::node* address = fields.find("address");
  if (address == nullptr) return sampler;
  const auto wrap = [&](const std::string& key, const toml::node& node) {
    return static_cast<device::TextureWrap>(one_of(fields, key, node, kWraps));
  };
  const toml::array* each = address->as_array();
  if (each == nullptr) {
    sampler.wrap.fill(wrap("address", *address));
    return sampler;
  }
  if (each->empty() || each->size() > sampler.wrap.size())
    fields.fail("address", address, "is not a list of one to three words, along x, y and z");
  for (std::size_t i = 0; i < each->size(); ++i)
    sampler.wrap.at(i) = wrap(fmt::format("address[{}]", i), (*each)[i]);
  return sampler;
}

/// A list with a table for each index, or "-" where nothing is bound.
template <class T, class Read>
void read_list(TomlFields& fields, KernelEntry& entry, const std::string& field, std::size_t most,
               std::string_view what, std::vector<std::optional<T>>& into, const Read& read) {
  const toml::node* node = fields.find(field);
  if (node == nullptr) return;
  const toml::array& list = fields.array(field, *node);
  if (list.empty() || list.size() > most)
    fields.fail(field, node, fmt::format("has {} entries; write 1 to {}", list.size(), most));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string key = fmt::format("{}[{}]", field, i);
    entry.lines[key] = list[i].source().begin.line;
    if (list[i].is_string() && fields.string(key, list[i]) == "-") {
      into.emplace_back();
      continue;
    }
    const toml::table* table = list[i].as_table();
    if (table == nullptr)
      fields.fail(key, &list[i], fmt::format("is neither \"-\" nor a table such as {}", what));
    TomlFields one(*table, entry.manifest, key + ".");
    into.emplace_back(read(one));
    one.finish();
    for (const auto& [name, value] : *table)
      entry.lines[fmt::format("{}.{}", key, name.str())] = value.source().begin.line;
  }
}

}  // namespace

void read_textures(TomlFields& fields, KernelEntry& entry) {
  read_list(fields, entry, "textures", kMaxTextures,
            "{ tensor = \"image\", kind = \"2d\", format = \"r32float\" }", entry.textures, read_texture);
  read_list(fields, entry, "samplers", kMaxSamplers,
            "{ filter = \"linear\", address = \"clamp_to_edge\", coordinates = \"normalized\" }",
            entry.samplers, read_sampler);
}

}  // namespace assay
