#include "harness/metal/prelude.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/metal/cache.hpp"
#include "harness/metal/process.hpp"

namespace assay::metal {

namespace fs = std::filesystem;

std::string prelude_text(Flavour flavour) {
  std::string text = "#include \"assay/metal.h\"\n#include \"assay/entry.h\"\n";
  if (flavour != Flavour::fast) text += "#include \"assay/hooks.h\"\n";
  if (flavour == Flavour::watched) text += "#include \"metal/private_watch.h\"\n";
  return text;
}

std::vector<std::string> include_prelude(Flavour flavour, const std::vector<std::string>& flags,
                                         const Toolchain& tools) {
  const auto text = prelude_text(flavour);
  const auto key = content_hash(
      fmt::format("{}\n{}\n{}\n{}", tools.identity, tools.stdlib.string(), fmt::join(flags, "\n"), text));
  // g++ looks for the precompiled form beside the header.
  const auto name = fmt::format("prelude-{}.h", key), precompiled = name + ".gch";
  const fs::path header = tools.cache / name;
  if (content_of(header) != text) write_atomically(header, text, scratch_root(tools.cache));
  if (!find_cached(tools.cache, precompiled)) {
    const ScratchDirectory scratch(tools.cache);
    const fs::path made = scratch / "prelude.h.gch";
    std::vector<std::string> argv = {tools.compiler};
    argv.insert(argv.end(), flags.begin(), flags.end());
    std::replace(argv.begin(), argv.end(), std::string("c++"), std::string("c++-header"));
    argv.insert(argv.end(), {"-I", tools.stdlib.string(), header.string(), "-o", made.string()});
    if (run_compiler(tools, argv, scratch.path(), {header}).exit_code == 0)
      store_cached(tools.cache, precompiled, content_of(made));
  }
  return {"-include", header.string()};
}

std::vector<fs::path> prelude_files(const std::vector<std::string>& arguments) {
  return {arguments.back(), arguments.back() + ".gch"};
}

}  // namespace assay::metal
