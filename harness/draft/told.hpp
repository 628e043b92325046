// What somebody says of a kernel on a command line: whatever is not said is guessed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::draft {

/// `--buffer x=half[M,N]:in:positive` or `--texture image=rgba16float[H,W]:in`: each part may be left out.
struct ToldBuffer {
  std::optional<std::string> type;                ///< as manifests name it; of a texture, the format
  std::optional<std::vector<std::string>> shape;  ///< expressions; of a texture, its extents in texels
  std::optional<std::string> access;              ///< "in", "out" or "inout"
  std::optional<std::string> values;              ///< as TOML: "\"normal\"", "{ below = \"E\" }"
};

/// `--dim N=1:4096`, `N=32:4096:32`, `N=64` or `N=32,64,128`.
struct ToldDimension {
  std::optional<std::int64_t> least, largest, multiple;
  std::vector<std::int64_t> values;  ///< not empty: it has one of these
};

struct Told {
  device::KernelSource source;
  std::map<std::string, ToldBuffer> buffers;
  std::map<std::string, ToldBuffer> textures;
  std::map<std::string, ToldDimension> dimensions;
  std::map<std::string, std::string> scalars;  ///< by parameter or field: a number or an expression
  std::optional<device::Size3> threads;
  std::vector<std::string> grid;  ///< three expressions; empty: guessed
  std::optional<bool> grid_in_threads;
  std::map<unsigned, std::string> threadgroup_memory;  ///< bytes of [[threadgroup(i)]]
  std::optional<std::uint32_t> resident_threadgroups;  ///< that are in flight at once
};

/// Each takes what stands behind its option into `told`. Throws std::invalid_argument that begins with the
/// option and what it was given: `--dim N=0: ...`.
void tell_buffer(Told& told, const std::string& text);
void tell_texture(Told& told, const std::string& text);
void tell_dimension(Told& told, const std::string& text);
void tell_scalar(Told& told, const std::string& text);
void tell_threads(Told& told, const std::string& text);
void tell_grid(Told& told, const std::string& text);
void tell_threadgroup_memory(Told& told, const std::string& text);
void tell_resident_threadgroups(Told& told, const std::string& text);
void tell_define(Told& told, const std::string& text);
void tell_metal_version(Told& told, const std::string& text);
void tell_constant(Told& told, const std::string& text);

/// Pieces of `text` between separators that stand in no parentheses or brackets.
std::vector<std::string> split_outside(std::string_view text, char separator);

}  // namespace assay::draft
