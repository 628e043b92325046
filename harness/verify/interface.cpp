// A manifest entry against the parameters of the kernel that it is about.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/verify/binding.hpp"
#include "harness/verify/claims.hpp"

namespace assay {
namespace {

class InterfaceCheck {
 public:
  InterfaceCheck(const KernelEntry& entry, const KernelInterface& kernel) : entry_(entry), kernel_(kernel) {}

  void run() const {
    for (std::size_t i = 0; i < entry_.arguments.size(); ++i) {
      const bool bound = !std::holds_alternative<UnboundArgument>(entry_.arguments[i]);
      if (bound ? has(i, false) : i < kernel_.buffers_declared) continue;
      throw entry_.error(entry_.argument_field(i),
                         fmt::format("{} has no [[buffer({})]]; it has {}", entry_.function, i, list(false)));
    }
    for (std::size_t i = 0; i < entry_.threadgroup_memory.size(); ++i) {
      if (has(i, true)) continue;
      throw entry_.error(
          fmt::format("threadgroup_memory[{}]", i),
          fmt::format("{} has no [[threadgroup({})]]; it has {}", entry_.function, i, list(true)));
    }
    for (const auto& one : kernel_.parameters) {
      if (one.threadgroup ? one.index < entry_.threadgroup_memory.size() : is_bound(one.index)) continue;
      throw entry_.error(one.threadgroup ? "threadgroup_memory" : "arguments",
                         fmt::format("parameter `{}` at [[{}({})]] has nothing bound to it; add an entry",
                                     one.name, one.threadgroup ? "threadgroup" : "buffer", one.index));
    }
    for (const auto& [name, unused] : entry_.claims) check_claim(name);
    textures();
    samplers();
  }

 private:
  bool is_bound(std::size_t index) const {
    return index < entry_.arguments.size() &&
           !std::holds_alternative<UnboundArgument>(entry_.arguments[index]);
  }

  bool has(std::size_t index, bool threadgroup) const {
    return std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                       [&](const auto& one) { return one.index == index && one.threadgroup == threadgroup; });
  }

  std::string list(bool threadgroup) const {
    std::vector<std::string> names;
    for (const auto& one : kernel_.parameters) {
      if (one.threadgroup == threadgroup) names.push_back(fmt::format("{} at {}", one.name, one.index));
    }
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  }

  template <class All>
  static std::string names_of(const All& all) {
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const auto& one : all) names.push_back(fmt::format("{} at {}", one.name, one.index));
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  }

  void textures() const {
    for (std::size_t i = 0; i < entry_.textures.size(); ++i) {
      const auto found = std::find_if(kernel_.textures.begin(), kernel_.textures.end(),
                                      [&](const auto& one) { return one.index == i; });
      const bool known = found != kernel_.textures.end();
      if (entry_.textures[i] ? !known : i >= kernel_.textures_declared)
        throw entry_.error(fmt::format("textures[{}]", i),
                           fmt::format("{} has no [[texture({})]]; it has {}", entry_.function, i,
                                       names_of(kernel_.textures)));
      if (known && entry_.textures[i]) check_texture(*found, *entry_.textures[i]);
    }
    for (const auto& one : kernel_.textures) {
      if (one.index < entry_.textures.size() && entry_.textures[one.index]) continue;
      throw entry_.error(
          "textures", fmt::format("parameter `{}` at [[texture({})]] has nothing bound to it; write textures "
                                  "= [...] with {{ tensor = \"...\", kind = \"{}\", format = \"{}\" }} at "
                                  "place {}",
                                  one.name, one.index, name_of(one.kind), example(one), one.index));
    }
  }

  using Texture = KernelInterface::Texture;

  /// A format whose numbers are those of the texture.
  static std::string_view example(const Texture& texture) {
    switch (texture.numbers) {
      case device::TextureNumbers::unsigned_:
        return "r32uint";
      case device::TextureNumbers::signed_:
        return "r32sint";
      case device::TextureNumbers::floating:
        break;
    }
    return "r32float";
  }

  void check_texture(const Texture& parameter, const TextureArgument& bound) const {
    const auto refuse = [&](std::string_view key, const std::string& why) {
      throw entry_.error(fmt::format("textures[{}].{}", parameter.index, key), why);
    };
    if (parameter.kind != bound.kind)
      refuse("kind", fmt::format("is \"{}\", and `{}` is of kind \"{}\"", name_of(bound.kind), parameter.name,
                                 name_of(parameter.kind)));
    if (parameter.numbers != device::numbers_of(bound.format))
      refuse("format", fmt::format("{} does not hold the numbers of `{}`, which may be of {}",
                                   device::layout_of(bound.format).name, parameter.name, example(parameter)));
    const auto access = access_of(bound.tensor);
    if (!access) return;
    if (*access == StatedTensor::Access::in && !parameter.reads)
      refuse("tensor",
             fmt::format("{} is an input, and `{}` can only be written to", bound.tensor, parameter.name));
    if (*access == StatedTensor::Access::out && !is_writable(bound.tensor))
      refuse("tensor",
             fmt::format("{} is an output, and `{}` can only be read", bound.tensor, parameter.name));
  }

  /// Of a tensor that the manifest states.
  std::optional<StatedTensor::Access> access_of(const std::string& tensor) const {
    if (!entry_.stated) return std::nullopt;
    for (const StatedTensor& one : entry_.stated->tensors) {
      if (one.name == tensor) return one.access;
    }
    return std::nullopt;
  }

  /// Bound to a buffer, or to a texture that the kernel may write to.
  bool is_writable(const std::string& tensor) const {
    for (const auto& argument : entry_.arguments) {
      const auto* named = std::get_if<NamedArgument>(&argument);
      if (named != nullptr && named->name == tensor) return true;
    }
    return std::any_of(kernel_.textures.begin(), kernel_.textures.end(), [&](const Texture& one) {
      return one.writes && one.index < entry_.textures.size() && entry_.textures[one.index] &&
             entry_.textures[one.index]->tensor == tensor;
    });
  }

  void samplers() const {
    for (std::size_t i = 0; i < entry_.samplers.size(); ++i) {
      const bool known = std::any_of(kernel_.samplers.begin(), kernel_.samplers.end(),
                                     [&](const auto& one) { return one.index == i; });
      if (entry_.samplers[i] ? known : i < kernel_.samplers_declared) continue;
      throw entry_.error(fmt::format("samplers[{}]", i),
                         fmt::format("{} has no [[sampler({})]]; it has {}", entry_.function, i,
                                     names_of(kernel_.samplers)));
    }
    for (const auto& one : kernel_.samplers) {
      if (one.index < entry_.samplers.size() && entry_.samplers[one.index]) continue;
      throw entry_.error(
          "samplers", fmt::format("parameter `{}` at [[sampler({})]] has nothing bound to it; write samplers "
                                  "= [...] with {{ filter = \"nearest\", address = \"clamp_to_edge\" }} at "
                                  "place {}",
                                  one.name, one.index, one.index));
    }
  }

  void check_claim(const std::string& name) const {
    const Counter* counter = find_counter(name);
    if (counter == nullptr || counter->subject != Counter::Subject::variable) return;
    const std::string variable = name.substr(counter->name.size() + std::string_view("_of_").size());
    const auto& known = kernel_.threadgroup;
    if (std::find(known.begin(), known.end(), variable) != known.end()) return;
    throw entry_.error(
        "claims." + name,
        fmt::format("{} has no variable {} in threadgroup memory; it has {}", entry_.function, variable,
                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }

  const KernelEntry& entry_;
  const KernelInterface& kernel_;
};

}  // namespace

void check_interface(const KernelEntry& entry, const KernelInterface& kernel) {
  InterfaceCheck(entry, kernel).run();
}

}  // namespace assay
