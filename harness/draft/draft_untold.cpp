// Every fact of a draft that nobody has told, with what would be tried next, and the launches that show
// whether a verdict hangs on it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/draft/doubt.hpp"
#include "harness/draft/drafting.hpp"
#include "harness/draft/trial.hpp"

namespace assay::draft {

void Drafting::untold() {
  untold_buffers();
  untold_numbers();
  draft_.grid_told = !told_.grid.empty();
  if (!draft_.grid_told)
    draft::untold(draft_, Doubt::Of::grid, "",
                  fmt::format("the grid is [{0}] {1}; say it with --grid '{2}'", fmt::join(draft_.grid, ", "),
                              draft_.in_threads ? "threads" : "threadgroups", fmt::join(draft_.grid, ",")));
  draft_.request = with_threads(draft_.threads);
  draft_.request.spare.clear();
  draft_.request.grid.clear();
  for (const auto& side : draft_.grid) draft_.request.grid.emplace_back(side);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i] == nullptr) continue;
    const auto told = told_of(told_.buffers, parameters_[i]->name);
    draft_.request.arguments[i].told_values = told.values.has_value();
    for (const auto& axis : told.shape.value_or(std::vector<std::string>{}))
      draft_.request.arguments[i].told_shape.emplace_back(axis);
  }
  if (told_.threads || !draft_.kernel.threads_matter) return;
  draft::untold(draft_, Doubt::Of::threads, "", draft_.guesses[threads_guess_]);
  for (const auto& threads : other_threads(draft_.threads, draft_.kernel, compiled_.most_threads)) {
    const auto other = with_threads(threads);
    auto& added = draft_.other_threads.emplace_back(draft_.request);
    added.threads = threads;
    added.threadgroup_memory = other.threadgroup_memory;
  }
}

void Drafting::untold_buffers() {
  for (const Parameter& one : draft_.kernel.parameters) {
    if (one.kind != Parameter::Kind::scalars || !one.written.ends_with('*')) continue;
    draft::untold(draft_, Doubt::Of::extent, one.name,
                  fmt::format("{0} is taken to lead to one struct; if there are more, say so with --buffer "
                              "{0}=uchar[SIZES], such as '{0}=uchar[64,{1}]'",
                              one.name, one.element.size));
  }
  for (const DraftBuffer& one : draft_.buffers) {
    const std::string option = fmt::format("{} {}", one.option(), one.name);
    const auto& all = one.texture ? told_.textures : told_.buffers;
    const auto told = told_of(all, one.name);
    if (!told.shape && !one.texture)
      draft::untold(draft_, Doubt::Of::extent, one.name,
                    fmt::format("{} is {} [{}]; if it is larger, say so with {}={}[SIZES]", one.name,
                                one.type, fmt::join(one.shape, ", "), option, one.type));
    if (!told.access)
      draft::untold(
          draft_, Doubt::Of::access, one.name,
          one.access == "out"
              ? fmt::format("{0} is taken for an output that the kernel writes whole, "
                            "and that starts with garbage; if it need not write all of "
                            "it, or is given values in it, say {1}=:inout",
                            one.name, option)
              : fmt::format("{} is taken for {}; if the kernel may write to it, say "
                            "{}=:inout",
                            one.name, one.access == "in" ? "an input" : "an input and an output", option));
    const bool whole = one.type != "half" && one.type != "float" && one.type != "bfloat";
    if (!told.values && one.access != "out" && whole)
      draft::untold(draft_, Doubt::Of::contents, one.name,
                    fmt::format("{} holds {}; say what it holds, such as {}=:0..3", one.name,
                                one.values.empty() ? "any numbers" : one.values, option));
    if (!told.values && one.access != "out" && !whole)
      draft::untold(draft_, Doubt::Of::floats, one.name,
                    fmt::format("{} holds any numbers, infinity and NaN among them; say what it holds, such as "
                                "{}=:0..3",
                                one.name, option));
  }
}

void Drafting::untold_numbers() {
  for (const auto& name : constant_scalars_)
    draft::untold(draft_, Doubt::Of::scalar, name,
                  fmt::format("{0} is a number that was made up; say it with --scalar {0}=1", name));
  for (const DraftDimension& one : draft_.dimensions) {
    if (told_.dimensions.contains(one.name) || !one.sizes.values.empty()) continue;
    draft::untold(draft_, Doubt::Of::dimension, one.name,
                  fmt::format("{0} has any size; if the kernel takes only some, say which, such as "
                              "--dim {0}=64:1024:64",
                              one.name));
  }
}

}  // namespace assay::draft
