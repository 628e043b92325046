// The stand-in headers of stdlib/, compiled into the program (embed_stdlib.cmake makes the table).
#pragma once

#include <span>
#include <string_view>

namespace assay::metal {

struct StdlibFile {
  std::string_view name;  ///< e.g. "assay/metal.h"
  std::string_view text;
};

std::span<const StdlibFile> stdlib_files();

}  // namespace assay::metal
