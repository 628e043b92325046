#include "harness/metal/text/outline_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/compile_texts.hpp"
#include "harness/metal/compile/diagnostics.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/text/outline_json.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {
namespace {

Outline ask(const std::string& text, const device::KernelSource& source, const Asked& asked, bool spaces,
            const std::string& macros, const Toolchain& tools) {
  auto settings = kernel_settings(source, Flavour::fast, Numerics::strict,
                                  parts_named_in(tokenize(text, source.path.string()), source));
  settings.spaces = spaces;
  settings.lists = asked.lists;
  settings.syntax = asked.syntax;
  settings.macros = macros;
  const std::string name = name_of_object(tools, settings, text) + ".outline";
  auto known = find_cached(tools.cache, name);
  if (!known) {
    const auto made = read_outline(settings, text, tools);
    if (!made.complaint.empty()) throw_compile_error(made.complaint, {source.path.string(), tools.stdlib});
    known = store_cached(tools.cache, name, made.object);
  }
  try {
    return nlohmann::json::parse(*known).get<Outline>();
  } catch (const nlohmann::json::exception& wrong) {
    throw ToolchainError(
        fmt::format("the compiler's outline of {} is none: {}", source.path.string(), wrong.what()));
  }
}

/// What a macro may stand for to be a number.
bool is_expression(std::string_view words) {
  std::ptrdiff_t depth = 0;
  for (const char c : words) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("_ \t()+-*/%<>&|^~").find(c) != std::string_view::npos;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (!fits || depth < 0) return false;
  }
  return depth == 0 && !words.empty();
}

}  // namespace

Outline outline_of(const std::string& text, const device::KernelSource& source, const Asked& asked,
                   const Toolchain& tools) {
  std::string defined, names;
  for (const auto& [name, words] : asked.macros) {
    if (!is_expression(words)) continue;
    defined += fmt::format("#define {} {}\n", name, words);
    names += fmt::format("enum : long {{ assay_macro_{} = ({}) }};\n", name, name);
  }
  const std::string behind = names.empty() ? "" : "#pragma assay_macros\n" + defined + names;
  return ask(text, source, asked, false, behind, tools);
}

void refuse_wrong_text(const std::string& text, const device::KernelSource& source, const Toolchain& tools) {
  (void)ask(text, source, {}, true, "", tools);
}

}  // namespace assay::metal
