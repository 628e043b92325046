// Threadgroup memory that a launch sizes: an element for each thread, where nothing was told.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/draft/doubt.hpp"

namespace assay::draft {

std::vector<Drafting::Bytes> Drafting::threadgroup_bytes(const device::Size3& t) const {
  std::vector<Bytes> all;
  for (const auto& [name, index] : compiled_.threadgroup) {
    if (index >= all.size()) all.resize(index + 1);
    Bytes& one = all[index];
    one.name = name;
    const Parameter* parameter = find_parameter(name);
    const auto asked = told_.threadgroup_memory.find(index);
    if (asked != told_.threadgroup_memory.end()) {
      one.bytes = asked->second;
    } else if (parameter != nullptr) {
      const std::size_t element = std::max<std::size_t>(parameter->element.size, 4);
      // `threadgroup Stage& stage`; of `threadgroup int (&all)[8]` it is not known how many there are.
      one.single = parameter->written.ends_with('&') && !parameter->written.ends_with("(&");
      one.bytes = std::to_string((element * (one.single ? 1 : t.x * t.y * t.z) + 15) / 16 * 16);
      one.guessed = true;
    }
  }
  return all;
}

void Drafting::threadgroup_memory() {
  const auto all = threadgroup_bytes(draft_.threads);
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, bytes, guessed, single] = all[i];
    if (guessed)
      doubt(draft_, Doubt::Of::threadgroup_memory, name,
            fmt::format("{} has {} bytes, one element{}; change it with --threadgroup-memory {}=BYTES", name,
                        bytes, single ? "" : " for each thread", i));
    draft_.threadgroup_memory.push_back(bytes);
    request_.threadgroup_memory.emplace_back(bytes);
  }
  for (const auto& [index, bytes] : told_.threadgroup_memory) {
    if (index >= count)
      throw std::invalid_argument(fmt::format("--threadgroup-memory {}={}: {} has no [[threadgroup({})]]",
                                              index, bytes, told_.source.function, index));
  }
}

}  // namespace assay::draft
