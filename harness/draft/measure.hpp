// What a kernel touches of its buffers when it is run on sizes that tell each other apart: from this their
// shapes, and the grid, are worked out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "harness/verify/expression.hpp"
#include "harness/verify/texture_argument.hpp"

namespace assay::draft {

/// What is bound to an index while it is measured.
struct MeasuredArgument {
  bool bound = false;
  // A buffer:
  bool buffer = false;
  bool writable = false;  ///< filled with zeros; else with ones
  std::string type;       ///< of its elements, as manifests name it
  // Or scalars, laid out as in a struct:
  struct Value {
    std::string type;
    Expression value{"0"};
  };
  std::vector<Value> values;
  std::string name = {};  ///< of the parameter
  std::size_t unit = 1;   ///< of a buffer: elements that a struct of the text takes, where they are bytes
  // Or a struct with pointers among its members; bytes of no field are zero:
  struct Field {
    std::size_t offset = 0;
    std::optional<Value> value;
    std::size_t leads_to = 0;  ///< where there is no value: a pointer to that of MeasureRequest::arguments
  };
  std::vector<Field> fields = {};
  std::size_t size = 0;  ///< of the struct, in bytes
  /// Of a buffer: its shape, where somebody has told it; else there is room to spare.
  std::vector<Expression> told_shape = {};
  bool wide = false;         ///< each two elements are one number of 64 bits
  bool told_values = false;  ///< somebody has told what it holds: no other contents are tried
};

/// What is bound to an index of a texture.
struct MeasuredTexture {
  bool bound = false, writable = false;
  TextureKind kind = TextureKind::two_d;
  device::TextureFormat format = device::TextureFormat::r32float;
  std::vector<Expression> extents;  ///< in texels, outermost first
};

/// A dimension: the sizes that it is measured at. Where both are the same, nothing is known of how anything
/// depends on it.
struct MeasuredDimension {
  std::string name;
  std::int64_t size = 0, other = 0;
  bool bounded = false;  ///< nothing but these two may be tried
  std::int64_t most_tried(std::int64_t wanted) const { return bounded ? other : wanted; }
  bool of_grid = false;  ///< made up for a side of the grid that no scalar of the kernel gives
};

struct MeasureRequest {
  device::KernelSource source;
  std::vector<MeasuredArgument> arguments;  ///< by buffer index, and behind them what pointers lead to
  std::size_t indices = 0;                  ///< so many of these have a buffer index
  std::vector<MeasuredTexture> textures;    ///< by texture index
  std::vector<device::Sampler> samplers;    ///< by sampler index
  std::vector<Expression> threadgroup_memory;
  device::Size3 threads;
  std::vector<MeasuredDimension> dimensions;  ///< those of the kernel's scalars, and those that were told
  std::vector<MeasuredDimension> spare;       ///< for sides of the grid, in this order
  std::vector<Expression> grid;               ///< three of them: told; empty: to be found
  unsigned axes = 1;                          ///< of the grid, where it is to be found
  bool in_threads = false;
  std::vector<std::int64_t> tiles;          ///< whole numbers that the text names: sides of tiles, perhaps
  std::uint32_t resident_threadgroups = 1;  ///< that are in flight at once
  bool zeros = false;                       ///< inputs of whole numbers hold zeros, rather than ones
  bool any_grid = false;  ///< the kernel asks how large its grid is, so it may share its work
};

struct MeasuredBuffer {
  bool touched = false, loaded = false, stored = false;
  bool known = false;              ///< `shape` says all that is touched
  std::vector<std::string> shape;  ///< expressions over dimensions
  std::size_t elements = 0;        ///< that were touched at the first sizes, where the shape is not known
  bool is_index = false;           ///< what it holds decides what else is touched
  bool is_size = false;            ///< and how much of it, as sizes do: several buffers, or by a float
  bool is_partial = false;         ///< what inputs hold decides how much of it is stored
  bool filled = false;             ///< of a texture: as much was stored as all of it has room for
};

struct Measured {
  std::vector<MeasuredBuffer> buffers;   ///< as MeasureRequest::arguments
  std::vector<MeasuredBuffer> textures;  ///< by texture index; their shapes are as they were asked for
  std::vector<std::string> grid;         ///< three expressions; empty: no grid was found
  std::string sizes;                     ///< that it was run at: "N=64 K=32"
  /// Dimensions that sides of the grid are parts of, where the kernel does not look at how much of the last
  /// part there is: N=2 of ceil(N / 2).
  std::map<std::string, std::int64_t> parts;
  bool cut_short = false;  ///< time was up before all had been tried
};

/// How far a search has come: so many grids have been tried, of those that one side may have.
using TriedGrids = std::function<void(std::size_t tried, std::size_t of)>;

/// Runs the kernel, confined, some hundred times on small sizes, in so many seconds of processor time. `why`:
/// gets one line where nothing was found.
std::optional<Measured> measure(const MeasureRequest& request, double timeout_s, std::string& why,
                                const TriedGrids& tried = {});

}  // namespace assay::draft
