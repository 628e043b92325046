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
