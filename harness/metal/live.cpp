#include "harness/metal/live.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <utility>

#include "harness/device/source_text.hpp"
#include "harness/metal/cache.hpp"
#include "harness/metal/compile_texts.hpp"
#include "harness/metal/diagnostics.hpp"

namespace assay::metal {
namespace {

// "FROM TO" in bytes, a line for each part that is used, in order.
std::string reach_of(const std::string& text, const device::KernelSource& source, bool spaces,
                     const Toolchain& tools) {
  auto settings = kernel_settings(source, Flavour::fast, Numerics::strict,
                                  parts_named_in(tokenize(text, source.path.string()), source));
  settings.spaces = spaces;
  const std::string name = name_of_object(tools, settings, text) + ".reach";
  if (const auto known = find_cached(tools.cache, name)) return *known;
  const auto read = read_reach(settings, text, tools);
  if (!read.complaint.empty()) throw_compile_error(read.complaint, {source.path.string(), tools.stdlib});
  return store_cached(tools.cache, name, read.object);
}

}  // namespace

std::vector<bool> live_tokens(const TokenText& text, const device::KernelSource& source,
                              const Toolchain& tools) {
  std::istringstream parts(reach_of(text.str(), source, false, tools));
  std::vector<bool> live(text.tokens.size(), false);
  std::size_t i = 0, at = 0, begin = 0, end = 0;
  while (parts >> begin >> end) {
    for (; i < live.size() && at < end; at += text.tokens[i++].text.size())
      live[i] = at >= begin && text.files[text.tokens[i].file] != device::kMadeText;
  }
  return live;
}

void refuse_wrong_text(const std::string& text, const device::KernelSource& source, const Toolchain& tools) {
  (void)reach_of(text, source, true, tools);
}

}  // namespace assay::metal
