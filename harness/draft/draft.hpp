// The manifest entry of a kernel, drafted from its text: parameters as they are declared, sizes as they are
// measured, and what somebody has told in place of either.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "harness/draft/kernel_reader.hpp"
#include "harness/draft/measure.hpp"
#include "harness/draft/texture_guess.hpp"
#include "harness/draft/told.hpp"

namespace assay::draft {

/// Memory that a launch binds, as a buffer or as a texture.
struct DraftBuffer {
  std::string name, type;
  std::vector<std::string> shape;
  std::string access;        ///< "in", "out", "inout"
  std::string values;        ///< TOML; "" where a manifest's own choice holds
  bool shape_told = false;   ///< --buffer gave the shape
  std::string question;      ///< what is to be filled in; "" where nothing is
  bool access_told = false;  ///< it gave the access
  bool texture = false;      ///< --texture tells of it, rather than --buffer
  std::string path = {};     ///< of a member: what reports call it, "set.x"
  std::string_view option() const { return texture ? "--texture" : "--buffer"; }
};

struct DraftDimension {
  std::string name;
  ToldDimension sizes;
  std::int64_t largest = 0;  ///< where nothing was told; 0: a manifest's own
  std::int64_t limit = 0;    ///< the most that its type holds, where that is little; 0: no limit
};

/// A fact that nobody has told: a verdict may hang on it, rather than on the kernel. `line` asks for it.
struct Doubt {
  enum class Of {
    threads,             ///< of a threadgroup
    threadgroup_memory,  ///< bytes of [[threadgroup(i)]], `name`
    unknown_sizes,       ///< of a buffer or of all, and with them the grid: not found
    extent,              ///< of a buffer: as far as was measured
    access,              ///< of a buffer: whether it starts with values, and whether all of it is written
    indices,             ///< a buffer, `name`, whose values say what else is touched
    sizes,               ///< the same of one whose values say how much: with one value nothing is shown
    contents,            ///< of other buffers of whole numbers
    floats,              ///< what a buffer of floats holds, which decides whether a conversion is undefined
    constants,           ///< the value of a function constant
    scalar,              ///< the value of a parameter that is no size
    dimension,           ///< which sizes `name` may have
    multiple,            ///< a dimension, `name`, that may always be a multiple of `of_multiple`
    grid,                ///< how large it is
  };
  Of of = Of::unknown_sizes;
  std::string name;  ///< of the buffer or dimension; "" where it is none
  std::string line;  ///< what is guessed, and how to say it, with a value
  std::int64_t of_multiple = 1;
};

struct Draft {
  std::string name;  ///< of the kernel in reports
  KernelText kernel;
  device::KernelSource source;
  std::vector<std::string> arguments;  ///< TOML, by buffer index
  device::Size3 threads;
  bool threads_known = false;  ///< told, or named by the text
  std::array<std::string, 3> grid = {"1", "1", "1"};
  bool in_threads = false;
  bool grid_told = false;
  std::vector<std::string> threadgroup_memory;
  std::uint32_t resident_threadgroups = 1;  ///< that are in flight at once
  std::vector<DraftDimension> dimensions;
  std::vector<DraftBuffer> buffers;
  std::vector<TextureGuess> textures;
  std::size_t samplers = 0;
  /// What was guessed, one line each, with the option that says otherwise.
  std::vector<std::string> guesses;
  std::vector<Doubt> doubts;
  /// The launch as it was measured, and with other numbers of threads where nobody has told how many.
  MeasureRequest request;
  std::vector<MeasureRequest> other_threads;
  /// Why a pass would mean nothing: the grid that was guessed leaves the kernel nothing to do. "" where it
  /// does not.
  std::string idle;
  /// What could not be guessed, likewise: comments of the manifest.
  std::vector<std::string> questions;

  const DraftBuffer* find(const std::string& name) const;
};

/// Processor time of this process and of those that it has waited for.
double processor_s();

/// Is told, in a few words, what goes on: "trying sizes of the grid: 12 of 40".
using DraftProgress = std::function<void(const std::string&)>;

/// Drafts `told.source.function`. Throws std::invalid_argument where something was told that the kernel has
/// no use for, or that it needs was not; std::runtime_error and metal::SourceError where the text does not
/// load.
Draft draft_kernel(const Told& told, const DraftProgress& progress = {});

/// The manifest that holds the draft, as a person would write it; paths are relative to `folder`, where that
/// is not empty, and absolute where it is.
std::string manifest_text(const Draft& draft, const std::filesystem::path& folder);

}  // namespace assay::draft
