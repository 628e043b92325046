#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/toolchain.hpp"

namespace assay::cli {

int run_command(const CacheArguments& arguments) {
  const auto cache = metal::cache_directory();
  if (arguments.clear) {
    metal::clear_cache(cache);
  } else {
    print("{}\n{}", cache.string(), to_text(metal::contents_of(cache)));
  }
  return 0;
}

}  // namespace assay::cli
