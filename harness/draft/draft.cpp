#include "harness/draft/draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <set>
#include <stdexcept>
#include <tuple>

#include "harness/draft/doubt.hpp"
#include "harness/draft/measure.hpp"
#include "harness/draft/refuse.hpp"
#include "harness/draft/settle.hpp"
#include "harness/draft/struct_members.hpp"
#include "harness/draft/trial.hpp"
#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/manifest_operation.hpp"
#include "harness/verify/shown.hpp"

namespace assay::draft {
namespace {

using Kind = Parameter::Kind;

/// Whole numbers that are taken for sizes; the others are for what the grid, the textures and the buffers
/// need.
constexpr std::size_t kMostOfScalars = kMaxDimensions - 4, kMostBesideTextures = kMostOfScalars - 4;
/// Seconds of processor time that runs of the kernel may take to find its sizes.
#ifdef ASSAY_UNDER_SANITIZER
constexpr double kMeasure_s = 90;  // of an Assay that is several times slower
#else
constexpr double kMeasure_s = 15;
#endif
/// What samplers are taken for.
constexpr device::Sampler kSampler = {.linear = true, .pixels = false, .wrap = {}};
/// Rows that a kernel takes from its grid alone: each is a threadgroup of every case.
constexpr std::int64_t kLargestOfGrid = 64, kLargestThreads = 1024;
/// Layers, and slices of a volume: each is a plane of its own.
constexpr std::int64_t kLargestOfLayers = 32;
constexpr std::int64_t kLargestOfSquares = 256;
/// A face is as high as wide, and there are six of each cube.
constexpr std::int64_t kLargestOfFaces = 96, kLargestOfCubes = 4;

/// Sizes that dimensions are measured at, of up to three and of more: they tell dimensions apart, kernels
/// take them, and launches are short.
constexpr std::array<std::int64_t, 3> kSizes = {64, 32, 96};
constexpr std::array<std::int64_t, 8> kManySizes = {8, 4, 32, 16, 6, 12, 2, 10};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Letters, digits and `_`, as the names of kernels, tensors and dimensions are.
std::string plain_name(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0 && c != '_' && c != '-' && c != '.') c = '_';
  }
  return name.empty() ? "kernel" : name.substr(0, 200);
}

/// Names of an expression; a copy, since the expression goes.
std::vector<std::string> names_in(const std::string& text) { return Expression(text).names(); }

class Drafting {
 public:
  explicit Drafting(const Told& told) : told_(told) {}

  Draft draft() {
    draft_.source = told_.source;
    draft_.kernel = read_kernel(told_.source);
    draft_.name = plain_name(told_.source.function);
    compiled_ = compile_kernel(told_.source);
    if (compiled_.indices == 0 && compiled_.textures.empty())
      throw std::invalid_argument(told_.source.function +
                                  " has no buffers and no textures, so there is nothing to check");
    if (compiled_.indices > 31)
      throw std::invalid_argument(told_.source.function + " has more than 31 buffers");
    threads();
    arguments();
    textures();
    tell_dimensions();
    try_threads();
    threadgroup_memory();
    sizes();
    constants();
    refuse_unused(told_, draft_, known_names_, used_scalars_);
    refuse_dimensions_of_buffers(draft_);
    return std::move(draft_);
  }

 private:
  void threads() {
    auto& threads = draft_.threads;
    const auto& kernel = draft_.kernel;
    draft_.in_threads = kernel.used_axes_of("thread_position_in_grid") > 0;
    if (told_.grid_in_threads) draft_.in_threads = *told_.grid_in_threads;
    draft_.threads_known = told_.threads || kernel.threads || !kernel.threads_matter;
    if (told_.threads) {
      threads = *told_.threads;
      return;
    }
    const unsigned axes = std::max(kernel.used_axes_of("thread_position_in_grid"),
                                   kernel.used_axes_of("thread_position_in_threadgroup"));
    device::Size3 guess_of{axes == 2 ? 256U : 128U, 1, 1};
    std::string why = "a common number";
    bool flat = true;
    const std::uint32_t most = compiled_.most_threads;
    if (kernel.threads) {
      std::tie(guess_of, why, flat) =
          std::tie(kernel.threads->threads, kernel.threads->why, kernel.threads->flat);
    } else if (most != 0) {
      guess_of.x = most;
      why = "max_total_threads_per_threadgroup";
    }
    if (most != 0 && guess_of.x * guess_of.y * guess_of.z > most) guess_of = {most, 1, 1}, flat = true;
    threads = flat ? laid_out(guess_of.x, axes) : guess_of;
    threads_guess_ = draft_.guesses.size();
    guess(fmt::format("{} threads in a threadgroup ({}); change it with --threads", threads_text(threads),
                      why));
  }

  MeasureRequest with_threads(const device::Size3& threads) const {
    MeasureRequest request = request_;
    request.source = told_.source;
    request.in_threads = draft_.in_threads;
    request.threads = threads;
    for (std::size_t i = 0; i < draft_.dimensions.size(); ++i)
      request.dimensions.push_back(sizes_of(draft_.dimensions[i], i));
    for (const auto& one : threadgroup_bytes(threads)) request.threadgroup_memory.emplace_back(one.bytes);
    return request;
  }

  /// Where nothing is known of the threads and they matter, those are taken that do not run into each other.
  void try_threads() {
    if (draft_.threads_known) return;
    const device::Size3 first = draft_.threads;
    const auto others = other_threads(first, draft_.kernel, compiled_.most_threads);
    std::vector<MeasureRequest> requests = {with_threads(first)};
    for (const auto& one : others) requests.push_back(with_threads(one));
    const auto faults = faults_inside(requests);
    std::string& line = draft_.guesses[threads_guess_];
    const auto clean = std::find(faults.begin(), faults.end(), std::optional<std::string>(""));
    // A kernel that asks how many there are takes any number, and one that faults with each does not do so
    // for their number.
    const bool asks = draft_.kernel.used_axes_of("threads_per_threadgroup") > 0;
    const bool always =
        std::all_of(faults.begin(), faults.end(), [](const auto& one) { return one && !one->empty(); });
    if (clean != faults.end() && clean != faults.begin() && faults.front()) {
      draft_.threads = others[static_cast<std::size_t>(clean - faults.begin()) - 1];
      line = fmt::format(
          "{} threads in a threadgroup, because the kernel faults with {} ({}); change it with --threads",
          threads_text(draft_.threads), threads_text(first), shown(*faults.front(), 200));
    }
    if (!asks && !always) draft_.doubts.push_back({Doubt::Of::threads, "", line});
  }

  static device::Size3 laid_out(std::uint32_t total, unsigned axes) {
    std::uint32_t x = 1;
    while (x * x < total) x *= 2;
    return axes >= 2 && total % x == 0 ? device::Size3{x, total / x, 1} : device::Size3{total, 1, 1};
  }

  void arguments() {
    for (const Parameter& one : draft_.kernel.parameters) {
      if (one.kind != Kind::scalars && one.kind != Kind::buffer) continue;
      if (one.element.pointers && !compiled_.shapes.contains(one.name))
        refuse(
            told_.source, one,
            fmt::format("`{}` is a struct with pointers whose members are not plain data with names; write "
                        "a manifest that says what they lead to",
                        one.name));
      if (!one.named) refuse(told_.source, one, "this parameter has no name; give it one");
      known_names_.insert(one.name);
    }
    draft_.arguments.assign(compiled_.indices, "\"-\"");
    request_.arguments.resize(compiled_.indices);
    request_.indices = compiled_.indices;
    parameters_.assign(compiled_.indices, nullptr);
    for (const Parameter& one : draft_.kernel.parameters) {
      const auto index = compiled_.buffers.find(one.name);
      if (index == compiled_.buffers.end() || index->second >= compiled_.indices) continue;
      parameters_[index->second] = &one;
      if (const auto shape = compiled_.shapes.find(one.name); shape != compiled_.shapes.end()) {
        line_ = one.line;
        const auto& object = shape->second.parts.front();
        draft_.arguments[index->second] =
            block(members_behind(shape->second, one.name), object.size, index->second, true);
        if (!shape->second.single)
          guess(fmt::format("{} leads to one {}; write a manifest where there are more", one.name,
                            object.is_pointer() ? "pointer" : "struct"));
        continue;
      }
      const auto asked = told_.buffers.find(one.name);
      if (one.kind == Kind::scalars && asked == told_.buffers.end()) {
        draft_.arguments[index->second] = scalars(one, request_.arguments[index->second]);
      } else {
        draft_.arguments[index->second] = fmt::format("\"{}\"", one.name);
        buffer(one, request_.arguments[index->second]);
      }
    }
  }

  void buffer(const Parameter& one, MeasuredArgument& argument) {
    const ToldBuffer told = told_of(told_.buffers, one.name);
    argument = {true,         true,
                one.writable, told.type.value_or(one.element.type.empty() ? "uchar" : one.element.type),
                {},           one.name};
    if (told.access) argument.writable = *told.access != "in";
    if (one.element.type.empty() && !told.type)
      guess(fmt::format(
          "{} has an unknown type, `{}`, and is taken as bytes; say its type with --buffer {}=TYPE", one.name,
          shown(one.written), one.name));
    const bool record = one.element.type == "uchar" && one.element.inner.size() == 1 && one.element.size > 4;
    if (record && !told.type) argument.unit = one.element.size;
  }

  /// A struct: `{ buffer = [{ pointer = "x" }, "N"] }`, or `["N", "M"]` where it needs no more. `number`: of
  /// what is measured.
  std::string block(const std::vector<StructMember>& members, std::size_t size, std::size_t number,
                    bool as_buffer = false) {
    std::vector<std::string> fields;
    std::vector<MeasuredArgument::Field> measured;
    std::size_t end = 0;
    const auto is_scalar = [](const StructMember& one) { return one.kind == StructMember::Kind::scalar; };
    as_buffer |= !std::all_of(members.begin(), members.end(), is_scalar);
    for (const StructMember& member : members) {
      if (member.kind == StructMember::Kind::filler) {
        filler(end, member.offset + member.size - end, fields);  // with what lies before it
        end = member.offset + member.size;
        guess(fmt::format("{} is zeros; write a manifest for other values", member.path));
        continue;
      }
      const bool next = (end + member.size - 1) / member.size * member.size == member.offset;
      as_buffer |= !next;
      const std::string at = next ? "" : fmt::format(", at = {}", member.offset);
      end = member.offset + member.size;
      if (is_scalar(member)) {
        measured.push_back({member.offset, MeasuredArgument::Value{}, 0});
        const std::string field =
            scalar(free_name(member.path), member.scalar.type, member.scalar.whole, *measured.back().value);
        fields.push_back(next ? field : fmt::format("{{ field = {}{} }}", field, at));
      } else {
        const std::size_t leads_to = request_.arguments.size();
        measured.push_back({member.offset, std::nullopt, leads_to});
        fields.push_back(fmt::format("{{ pointer = {}{} }}", behind(member, leads_to), at));
      }
    }
    const bool pointers =
        std::any_of(members.begin(), members.end(), [](const StructMember& one) { return one.is_pointer(); });
    // A buffer with pointers ends at a multiple of 8 by itself.
    const std::size_t filled = pointers ? (end + 7) / 8 * 8 : end;
    if (as_buffer && filled < size) filler(end, size - end, fields);
    MeasuredArgument& argument = request_.arguments[number];
    argument.bound = true;
    argument.fields = std::move(measured);
    argument.size = std::max(size, end);
    return as_buffer            ? fmt::format("{{ buffer = [{}] }}", fmt::join(fields, ", "))
           : fields.size() == 1 ? fields.front()
                                : fmt::format("[{}]", fmt::join(fields, ", "));
  }

  static void filler(std::size_t offset, std::size_t size, std::vector<std::string>& fields) {
    constexpr std::size_t kMost = 2048;  // bytes: a buffer has 512 fields
    if (size > kMost)
      throw std::invalid_argument(fmt::format(
          "a struct with pointers has {} bytes for which a draft has no values; write a manifest", size));
    while (size > 0) {
      const std::size_t step = offset % 4 == 0 && size >= 4 ? 4 : 1;
      fields.push_back(step == 4 ? "\"=0:uint\"" : "\"=0:uchar\"");
      offset += step;
      size -= step;
    }
  }

  /// What a member that is a pointer leads to.
  std::string behind(const StructMember& member, std::size_t number) {
    request_.arguments.emplace_back();
    parameters_.push_back(nullptr);
    if (member.kind == StructMember::Kind::block) return block(member.members, member.block_size, number);
    Parameter& one = pointed_.emplace_back();
    one.kind = Kind::buffer;
    one.name = free_name(member.path);
    one.named = true;
    one.written = member.path;
    one.element = member.element;
    one.writable = member.writable;
    one.line = line_;
    known_names_.insert(one.name);
    parameters_.back() = &one;
    MeasuredArgument argument;
    buffer(one, argument);
    request_.arguments[number] = argument;
    return fmt::format("\"{}\"", one.name);
  }

  std::string free_name(const std::string& path) const {
    std::string name = name_of_member(path, false);
    if (known_names_.contains(name)) name = name_of_member(path, true);
    while (known_names_.contains(name)) name += "_";
    return name;
  }

  void textures() {
    std::vector<std::string> dimensions;
    for (const auto& one : draft_.dimensions) dimensions.push_back(one.name);
    for (const auto& texture : compiled_.textures) {
      TextureGuess guessed = guess_texture(texture, draft_.kernel, dimensions);
      if (known_names_.contains(guessed.tensor)) guessed.tensor += "_texture";
      known_names_.insert(guessed.tensor);
      tell_texture_of(guessed);
      if (guessed.index >= request_.textures.size()) request_.textures.resize(guessed.index + 1);
      MeasuredTexture& measured = request_.textures[guessed.index];
      measured = {true, guessed.writes, guessed.kind, guessed.format, {}};
      for (const auto& extent : guessed.extents) measured.extents.emplace_back(extent);
      draft_.textures.push_back(std::move(guessed));
    }
    for (const auto& one : draft_.textures) {
      const bool cubes = one.kind == TextureKind::cube || one.kind == TextureKind::cube_array;
      for (std::size_t axis = 0; axis < one.extents.size(); ++axis) {
        const bool of_plane = axis + 2 >= one.extents.size();
        const std::int64_t largest = of_plane ? (cubes ? kLargestOfFaces : 0)
                                     : cubes  ? kLargestOfCubes
                                              : kLargestOfLayers;
        for (const auto& name : names_in(one.extents[axis])) {
          add_dimension(name);
          auto& dimension = *find_dimension(name);  // of a scalar too
          if (dimension.largest == 0) dimension.largest = largest;
        }
      }
    }
    // A thread for each texel of a volume takes long, a hundred times over.
    small_ = std::any_of(draft_.textures.begin(), draft_.textures.end(),
                         [](const TextureGuess& one) { return one.extents.size() > 2; });
    draft_.samplers = compiled_.samplers;
    request_.samplers.assign(draft_.samplers, kSampler);
    if (draft_.samplers > 0)
      guess(
          "samplers are linear, with normalized coordinates, and clamp to the edge; write a manifest for "
          "others");
  }

  void tell_texture_of(TextureGuess& guessed) {
    const ToldBuffer told = told_of(told_.textures, guessed.tensor);
    if (told.type) guessed.format = *device::texture_format(*told.type);
    if (told.shape) {
      if (told.shape->size() != guessed.extents.size())
        throw std::invalid_argument(fmt::format(
            "--texture {0}: {0} has {1} extents in texels, such as [{2}], not {3}", guessed.tensor,
            guessed.extents.size(), fmt::join(guessed.extents, ","), told.shape->size()));
      guessed.extents = *told.shape;
    }
    if (!told.type || !told.shape)
      guess(fmt::format("{0} is {1} [{2}]; change it with --texture {0}=FORMAT[EXTENTS]", guessed.tensor,
                        device::layout_of(guessed.format).name, fmt::join(guessed.extents, ", ")));
  }

  /// `"N"`, `"=1e-5:float"` or a list of them.
  std::string scalars(const Parameter& one, MeasuredArgument& argument) {
    argument.bound = true;
    std::vector<std::string> fields;
    for (const Scalar& scalar : one.element.scalars) {
      const bool component =
          scalar.name.size() == 1 && one.element.scalars.size() <= 4 && one.element.type != "uchar";
      std::string name = scalar.name.empty() ? one.name
                         : component         ? one.name + "_" + scalar.name
                                             : scalar.name;
      if (name != one.name && known_names_.contains(name)) name = one.name + "_" + name;
      fields.push_back(this->scalar(name, scalar.type, scalar.whole, argument.values.emplace_back()));
    }
    return one.element.scalars.size() == 1 ? fields.front() : fmt::format("[{}]", fmt::join(fields, ", "));
  }

  /// `"N"`, `"=1e-5:float"`: what was told, a dimension, or a constant.
  std::string scalar(const std::string& name, const std::string& type, bool whole,
                     MeasuredArgument::Value& measured) {
    known_names_.insert(name);
    const auto asked = told_.scalars.find(name);
    std::string value;
    if (asked != told_.scalars.end()) {
      used_scalars_.insert(name);
      value = asked->second;
      for (const auto& needed : names_in(value)) add_dimension(needed);
    } else if (whole && type != "uchar" && type != "char" &&
               draft_.dimensions.size() <
                   (compiled_.textures.empty() ? kMostOfScalars : kMostBesideTextures)) {
      value = name;  // bytes are too narrow for sizes
      add_dimension(name);
    } else {
      const std::string small = lower(name);
      value = whole ? "1" : small.starts_with("eps") ? "1e-5" : "1.0";
      guess(fmt::format("{} is {}; change it with --scalar {}=VALUE", name, value, name));
    }
    measured = {type, Expression(value)};
    if (!Expression(value).is_name()) return fmt::format("\"={}:{}\"", value, type);
    return type == "uint" ? fmt::format("\"{}\"", value) : fmt::format("\"{}:{}\"", value, type);
  }

  DraftDimension* find_dimension(const std::string& name) {
    const auto found = std::find_if(draft_.dimensions.begin(), draft_.dimensions.end(),
                                    [&](const auto& one) { return one.name == name; });
    return found == draft_.dimensions.end() ? nullptr : &*found;
  }

  /// `largest`: where nothing is told of it; 0: a manifest's own.
  void add_dimension(const std::string& name, std::int64_t largest = 0) {
    if (find_dimension(name) != nullptr) return;
    DraftDimension dimension{name, {}, 0};
    const auto asked = told_.dimensions.find(name);
    if (asked != told_.dimensions.end()) dimension.sizes = asked->second;
    dimension.largest = largest;
    draft_.dimensions.push_back(dimension);
  }

  MeasuredDimension sizes_of(const DraftDimension& dimension, std::size_t place) const {
    MeasuredDimension one{dimension.name, 0, 0, false, false};
    one.bounded = !dimension.sizes.values.empty() || dimension.sizes.largest || dimension.sizes.multiple;
    const auto& told = dimension.sizes;
    if (!told.values.empty()) {
      one.size = told.values.front();
      one.other = told.values.size() > 1 ? told.values[1] : one.size;
      return one;
    }
    const bool few = !small_ && draft_.dimensions.size() <= kSizes.size();
    one.size = few ? kSizes[place] : kManySizes[std::min(place, kManySizes.size() - 1)];
    const std::int64_t multiple = told.multiple.value_or(1), least = told.least.value_or(1),
                       largest = told.largest.value_or(1 << 30);
    const auto fitting = [&](std::int64_t size) {
      size = std::max(std::min(size, largest), std::max(least, multiple));
      return size / multiple * multiple;
    };
    one.size = fitting(one.size);
    one.other = fitting(2 * one.size);
    return one;
  }

  /// Those that were told of, and those in what was told.
  void tell_dimensions() {
    for (const auto& [name, sizes] : told_.dimensions) {
      if (known_names_.contains(name) && find_parameter(name) != nullptr &&
          find_parameter(name)->kind == Kind::buffer)
        throw std::invalid_argument(dimension_of_buffer(name));
      add_dimension(name);
    }
    const auto all_of = [&](const std::string& text) {
      for (const auto& name : names_in(text)) add_dimension(name);
    };
    for (const auto& side : told_.grid) all_of(side);
    for (const auto& [name, told] : told_.buffers) {
      for (const auto& axis : told.shape.value_or(std::vector<std::string>{})) all_of(axis);
    }
    for (const auto& [index, bytes] : told_.threadgroup_memory) all_of(bytes);
  }

  /// What is free of the grid has another name where a buffer has the usual one.
  std::string dimension_of_buffer(const std::string& name) const {
    std::string text = fmt::format("--dim {0}: {0} is a buffer; --buffer says what it is", name);
    const unsigned axes = axes_of_grid();
    for (unsigned axis = 0; axis < axes && told_.grid.empty(); ++axis) {
      if (spare_names(axes, draft_.in_threads)[axis] != name) continue;
      text += fmt::format("; the free dimension of the grid is called {} here", unknown_name(name));
    }
    return text;
  }

  const Parameter* find_parameter(const std::string& name) const {
    for (const Parameter& one : pointed_) {
      if (one.name == name) return &one;
    }
    return draft_.kernel.find(name);
  }

  /// What is bound to [[threadgroup(i)]], of so many threads.
  struct Bytes {
    std::string name, bytes = "16";
    bool guessed = false, single = false;
  };
  std::vector<Bytes> threadgroup_bytes(const device::Size3& t) const {
    std::vector<Bytes> all;
    for (const auto& [name, index] : compiled_.threadgroup) {
      if (index >= all.size()) all.resize(index + 1);
      Bytes& one = all[index];
      one.name = name;
      const Parameter* parameter = find_parameter(name);
      const auto asked = told_.threadgroup_memory.find(index);
      if (asked != told_.threadgroup_memory.end()) {
        one.bytes = asked->second;
      } else if (parameter != nullptr) {
        const std::size_t element = std::max<std::size_t>(parameter->element.size, 4);
        // `threadgroup Stage& stage`; of `threadgroup int (&all)[8]` it is not known how many there are.
        one.single = parameter->written.ends_with('&') && !parameter->written.ends_with("(&");
        one.bytes = std::to_string((element * (one.single ? 1 : t.x * t.y * t.z) + 15) / 16 * 16);
        one.guessed = true;
      }
    }
    return all;
  }

  void threadgroup_memory() {
    const auto all = threadgroup_bytes(draft_.threads);
    const std::size_t count = all.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [name, bytes, guessed, single] = all[i];
      if (guessed)
        doubt(draft_, Doubt::Of::threadgroup_memory, name,
              fmt::format("{} has {} bytes, one element{}; change it with --threadgroup-memory {}=BYTES",
                          name, bytes, single ? "" : " for each thread", i));
      draft_.threadgroup_memory.push_back(bytes);
      request_.threadgroup_memory.emplace_back(bytes);
    }
    for (const auto& [index, bytes] : told_.threadgroup_memory) {
      if (index >= count)
        throw std::invalid_argument(fmt::format("--threadgroup-memory {}={}: {} has no [[threadgroup({})]]",
                                                index, bytes, told_.source.function, index));
    }
  }

  void sizes() {
    request_.source = told_.source;
    request_.threads = draft_.threads;
    request_.in_threads = draft_.in_threads;
    request_.tiles = draft_.kernel.tiles;
    request_.axes = axes_of_grid();
    request_.any_grid = draft_.kernel.used_axes_of("threads_per_grid") > 0 ||
                        draft_.kernel.used_axes_of("threadgroups_per_grid") > 0;
    for (const auto& side : told_.grid) request_.grid.emplace_back(side);
    if (told_.grid.empty()) spare();
    std::string why;
    auto measured = measured_with_any_threads(why);
    if (measured && measured->cut_short) {  // launches take long: on smaller sizes, if the kernel takes them
      small_ = true;
      std::string again;
      if (auto smaller = measured_with_any_threads(again); smaller && !smaller->cut_short) measured = smaller;
    }
    if (measured) {
      if (!measured->sizes.empty()) guess_measured(*measured);
    } else {
      question(fmt::format("Assay could not measure the sizes ({}): fill in shapes and grid", shown(why)));
      doubt(draft_, Doubt::Of::sizes, "",
            fmt::format("Assay could not measure the kernel ({}): say its sizes with --buffer "
                        "NAME=TYPE[SIZES] and --grid",
                        shown(why, 200)));
    }
    settle_grid(measured);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!request_.arguments[i].buffer) continue;
      const Parameter& one = *parameters_[i];
      draft_.buffers.push_back(settled_buffer(one, request_.arguments[i].type,
                                              told_of(told_.buffers, one.name),
                                              measured ? &measured->buffers[i] : nullptr, draft_));
      if (i >= compiled_.indices) draft_.buffers.back().path = one.written;
    }
    for (const auto& texture : draft_.textures) {
      draft_.buffers.push_back(settled_texture(texture, told_of(told_.textures, texture.tensor),
                                               measured ? &measured->textures[texture.index] : nullptr,
                                               draft_));
    }
    keep_squares_small();
    give_an_output();
    if (draft_.dimensions.empty()) draft_.dimensions.push_back({"unused", {{}, {}, {}, {1}}, 0});
  }

  /// Where the number of threads is a guess, others may suit the kernel better: arrays that are laid out for
  /// them are not left, and textures are written whole.
  std::optional<Measured> measured_with_any_threads(std::string& why) {
    request_.dimensions.clear();
    for (std::size_t i = 0; i < draft_.dimensions.size(); ++i)
      request_.dimensions.push_back(sizes_of(draft_.dimensions[i], i));
    auto measured = measure(request_, kMeasure_s, why);
    if (measured || told_.threads || why.find("does not end") != std::string::npos) return measured;
    const device::Size3 first = draft_.threads;
    std::vector<device::Size3> others = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}};
    if (first.y > 1) others = {{32, 8, 1}, {8, 8, 1}, {32, 4, 1}, {32, 32, 1}, {16, 8, 1}};
    for (const auto& threads : others) {
      if (threads == first || (compiled_.most_threads != 0 && threads.x * threads.y > compiled_.most_threads))
        continue;
      request_.threads = threads;
      std::string again;
      auto with_these = measure(request_, kMeasure_s, again);
      if (!with_these || (measured && leaves_texels(*with_these))) continue;
      measured = std::move(with_these);
      draft_.threads = threads;
      draft_.guesses[threads_guess_] = fmt::format(
          "{} threads in a threadgroup, because the kernel faults with {} ({}); change it with --threads",
          threads_text(threads), threads_text(first), shown(why));
      for (Doubt& one : draft_.doubts) {
        if (one.of == Doubt::Of::threads) one.line = draft_.guesses[threads_guess_];
      }
      if (!leaves_texels(*measured)) break;
    }
    request_.threads = draft_.threads;
    return measured;
  }

  static bool leaves_texels(const Measured& measured) {
    return std::any_of(measured.textures.begin(), measured.textures.end(),
                       [](const MeasuredBuffer& one) { return one.stored && !one.filled; });
  }

  static std::string threads_text(const device::Size3& t) {
    if (t.z > 1) return fmt::format("{} x {} x {}", t.x, t.y, t.z);
    return t.y == 1 ? fmt::format("{}", t.x) : fmt::format("{} x {}", t.x, t.y);
  }

  unsigned axes_of_grid() const {
    return std::max({1U, draft_.kernel.used_axes_of("thread_position_in_grid"),
                     draft_.kernel.used_axes_of("threadgroup_position_in_grid")});
  }

  static std::array<std::string, 3> spare_names(unsigned axes, bool in_threads) {
    if (axes >= 2) return {"N", "M", "B"};
    return in_threads ? std::array<std::string, 3>{"N", "M", "B"} : std::array<std::string, 3>{"M", "B", "H"};
  }

  /// The name, or that with a number behind it.
  std::string unknown_name(const std::string& wanted) const {
    std::string name = wanted;
    for (int i = 2; known_names_.contains(name); ++i) name = fmt::format("{}{}", wanted, i);
    return name;
  }

  /// Names for sides of the grid that no scalar gives.
  void spare() {
    const auto names = spare_names(request_.axes, draft_.in_threads);
    constexpr std::array<std::pair<std::int64_t, std::int64_t>, 3> kThreadSizes = {
        {{96, 192}, {6, 12}, {3, 6}}};
    constexpr std::array<std::pair<std::int64_t, std::int64_t>, 3> kGroupSizes = {{{6, 12}, {5, 10}, {3, 6}}};
    for (unsigned axis = 0; axis < request_.axes; ++axis) {
      const std::string name = unknown_name(names[axis]);
      known_names_.insert(name);
      const auto& sizes = (draft_.in_threads ? kThreadSizes : kGroupSizes)[axis];
      request_.spare.push_back({name, sizes.first, sizes.second, false, true});
    }
  }

  void guess_measured(const Measured& measured) {
    const auto line =
        fmt::format("shapes and grid come from what the kernel touched when it ran at {}", measured.sizes);
    if (!measured.cut_short) return guess(line);
    doubt(draft_, Doubt::Of::sizes, "",
          line +
              "; there was no time to try all sizes: say the shapes with --buffer NAME=TYPE[SIZES] and the "
              "grid with --grid");
  }

  void settle_grid(const std::optional<Measured>& measured) {
    std::vector<std::string> grid = told_.grid;
    if (grid.empty() && measured) grid = measured->grid;
    if (grid.empty()) {
      for (unsigned axis = 0; axis < request_.axes; ++axis) grid.push_back(request_.spare[axis].name);
      grid.resize(3, "1");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      draft_.grid[axis] = grid[axis];
      for (const auto& name : names_in(grid[axis]))
        add_dimension(name, draft_.in_threads ? kLargestThreads : kLargestOfGrid);
    }
    if (told_.grid.empty())
      guess(fmt::format("the grid is [{}] {}; change it with --grid", fmt::join(grid, ", "),
                        draft_.in_threads ? "threads" : "threadgroups"));
    const bool reads = draft_.in_threads || draft_.kernel.used_axes_of("threadgroup_position_in_grid") > 0;
    if (told_.grid.empty() && reads && grid == std::vector<std::string>(3, "1"))
      draft_.idle = fmt::format(
          "the kernel reads its place in the grid, but one {} is all that was found to have something to do: "
          "say the grid with --grid",
          draft_.in_threads ? "thread" : "threadgroup");
  }

  static ToldBuffer told_of(const std::map<std::string, ToldBuffer>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? ToldBuffer{} : found->second;
  }

  /// What loops along one side of a square for each of its elements takes long.
  void keep_squares_small() {
    for (const DraftBuffer& buffer : draft_.buffers) {
      std::multiset<std::string> axes;
      for (const auto& axis : buffer.shape) {
        for (const auto& name : names_in(axis)) axes.insert(name);
      }
      for (const auto& name : axes) {
        DraftDimension* const one = axes.count(name) > 1 ? find_dimension(name) : nullptr;
        if (one != nullptr && one->largest == 0) one->largest = kLargestOfSquares;
      }
    }
  }

  /// Something must be written, or nothing can be said.
  void give_an_output() {
    const auto written = std::any_of(draft_.buffers.begin(), draft_.buffers.end(),
                                     [](const auto& one) { return one.access != "in"; });
    if (written) return;
    for (auto& buffer : draft_.buffers) {
      if (buffer.texture) continue;
      const Parameter* parameter = find_parameter(buffer.name);
      if (parameter == nullptr || !parameter->writable || told_.buffers.contains(buffer.name)) continue;
      buffer.access = "inout";
      return;
    }
    throw std::invalid_argument(
        told_.source.function +
        " has no buffer or texture that it may write to, so there is nothing to check");
  }

  void constants() {
    std::vector<std::string> missing;
    for (const FunctionConstant& one : draft_.kernel.constants) {
      if (told_.source.function_constants.contains(one.index)) continue;
      missing.push_back(fmt::format("{} = {}", one.index, one.type == "bool" ? "true" : "1"));
      guess(fmt::format("function constant {} ({} {}) has no value; give one with --constant {}=VALUE",
                        one.index, one.type, one.name, one.index));
    }
    if (!missing.empty())
      question(
          fmt::format("function_constants = {{ {} }}  # without a value so far", fmt::join(missing, ", ")));
  }

  void guess(std::string text) { draft_.guesses.push_back(std::move(text)); }
  void question(std::string text) { draft_.questions.push_back(std::move(text)); }

  const Told& told_;
  Draft draft_;
  CompiledKernel compiled_;
  MeasureRequest request_;
  std::vector<const Parameter*> parameters_;  // as request_.arguments; null: no buffer
  std::deque<Parameter> pointed_;             // made up for what pointers lead to
  std::uint32_t line_ = 0;                    // of the parameter that leads to them
  std::size_t threads_guess_ = 0;             // of Draft::guesses
  bool small_ = false;                        // sizes that are measured
  std::set<std::string> known_names_, used_scalars_;
};

}  // namespace

const DraftBuffer* Draft::find(const std::string& buffer) const {
  const auto found =
      std::find_if(buffers.begin(), buffers.end(), [&](const auto& one) { return one.name == buffer; });
  return found == buffers.end() ? nullptr : &*found;
}

Draft draft_kernel(const Told& told) { return Drafting(told).draft(); }

}  // namespace assay::draft
