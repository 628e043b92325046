#include "harness/draft/refuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "harness/verify/expression.hpp"

namespace assay::draft {

using Kind = Parameter::Kind;

void refuse(const device::KernelSource& source, const Parameter& one, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}:{}: {}", source.path.string(), one.line, why));
}

void refuse_unused(const Told& told, const Draft& draft, const std::set<std::string>& known,
                   const std::set<std::string>& used_scalars) {
  std::vector<std::string> buffers, textures;
  for (const auto& one : draft.textures) textures.push_back(one.tensor);
  for (const auto& [name, one] : told.textures) {
    if (std::find(textures.begin(), textures.end(), name) == textures.end())
      throw std::invalid_argument(
          textures.empty() ? fmt::format("--texture {}: {} has no textures", name, told.source.function)
                           : fmt::format("--texture {}: {} has no texture of that name; it has {}", name,
                                         told.source.function, fmt::join(textures, ", ")));
  }
  for (const auto& one : draft.kernel.parameters) {
    if (one.kind == Kind::buffer || one.kind == Kind::scalars) buffers.push_back(one.name);
  }
  for (const auto& [name, one] : told.buffers) {
    if (draft.find(name) == nullptr || draft.find(name)->texture)
      throw std::invalid_argument(fmt::format("--buffer {}: {} has no buffer of that name; it has {}", name,
                                              told.source.function, fmt::join(buffers, ", ")));
  }
  for (const auto& [name, value] : told.scalars) {
    if (!used_scalars.contains(name))
      throw std::invalid_argument(
          fmt::format("--scalar {}={}: {} has no scalar of that name", name, value, told.source.function));
  }
  for (const auto& [name, sizes] : told.dimensions) {
    std::set<std::string> used = known;
    const auto all_of = [&](const std::string& text) {
      const Expression read(text);
      used.insert(read.names().begin(), read.names().end());
    };
    for (const auto& buffer : draft.buffers) std::for_each(buffer.shape.begin(), buffer.shape.end(), all_of);
    std::for_each(draft.grid.begin(), draft.grid.end(), all_of);
    std::for_each(draft.threadgroup_memory.begin(), draft.threadgroup_memory.end(), all_of);
    for (const auto& [scalar, value] : told.scalars) all_of(value);
    for (const auto* const memory : {&told.buffers, &told.textures}) {
      for (const auto& [tensor, one] : *memory) {
        if (one.values && one.values->find("\"" + name + "\"") != std::string::npos) used.insert(name);
      }
    }
    if (used.contains(name)) continue;
    std::vector<std::string> others;
    for (const auto& one : draft.dimensions) {
      if (one.name != name) others.push_back(one.name);
    }
    throw std::invalid_argument(fmt::format("--dim {}: no scalar, shape or grid has it; there are {}", name,
                                            fmt::join(others, ", ")));
  }
}

void refuse_dimensions_of_buffers(const Draft& draft) {
  for (const auto& dimension : draft.dimensions) {
    const auto same = [&](const DraftBuffer& one) { return one.name == dimension.name; };
    if (std::none_of(draft.buffers.begin(), draft.buffers.end(), same)) continue;
    const Parameter* const one = draft.kernel.find(dimension.name);
    const std::string why = fmt::format(
        "buffer `{0}` has the name of a dimension of a shape or of the grid; give "
        "the dimension another name in --buffer and --grid, e.g. {0}0",
        dimension.name);
    if (one != nullptr) refuse(draft.source, *one, why);
    throw std::invalid_argument(why);
  }
}

}  // namespace assay::draft
