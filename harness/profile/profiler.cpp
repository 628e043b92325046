#include "harness/profile/profiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "assay/device/registry.hpp"
#include "harness/remote/remote_device.hpp"
#include "harness/verify/binding.hpp"
#include "harness/verify/judge.hpp"
#include "harness/verify/packing.hpp"
#include "harness/verify/report.hpp"
#include "properties/cases/operation.hpp"

namespace assay::profile {
namespace {

using device::Counts;
using device::Traffic;

constexpr std::int64_t kFewKTiles = 4, kManyKTiles = 8;
constexpr std::int64_t kStreams = 8, kBatch = 8;  // and half as many of either, for differences
constexpr std::int64_t kSide = 64;                // where the kernel has no tile

/// Tensors of the operation, in the order of Counts::buffers: by buffer index, by texture index, then those
/// that pointers lead to. Empty where there is none, or several.
std::vector<std::string> tensors_of(const KernelEntry& entry, const properties::Operation& operation) {
  std::vector<std::string> names;
  const auto arguments = assay::resolve_arguments(entry, operation.argument_names());
  for (const auto& argument : arguments) {
    const auto* tensor = std::get_if<TensorArgument>(&argument);
    names.push_back(tensor != nullptr ? tensor->tensor : "");
  }
  for (const auto& texture : entry.textures) names.push_back(texture ? texture->tensor : "");
  for (const auto& argument : arguments) {
    const auto* packed = std::get_if<PackedArgument>(&argument);
    if (packed == nullptr) continue;
    for (const PackedField* pointer : pointers_in(*packed)) names.push_back(tensor_behind(*pointer));
  }
  return names;
}

double ratio(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

double one_decimal(double x) { return std::round(x * 10) / 10; }

std::uint64_t bytes_stored(const Counts& counts) {
  std::uint64_t total = 0;
  for (const auto& object : counts.threadgroup_memory) total += object.stored_bytes;
  return total;
}

/// What does not depend on K.
void add_whole(const Counts& counts, const std::vector<std::string>& tensors, Figures& figures) {
  const std::size_t bytes = counts.threadgroup_bytes();
  const std::size_t budget = device::Limits{}.threadgroup_memory_bytes;
  figures["threads"] = counts.threads;
  figures["threadgroups"] = static_cast<double>(counts.threadgroups);
  figures["threadgroup_barriers"] = one_decimal(ratio(counts.threadgroup_barriers, counts.threadgroups));
  figures["threadgroup_bytes"] = static_cast<double>(bytes);
  const auto fit = bytes == 0 ? 0 : budget / bytes;
  figures["occupancy"] = bytes == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(fit);
  for (const Traffic& object : counts.threadgroup_memory) {
    if (object.size_bytes == 0) continue;
    figures["threadgroup_bytes_of_" + object.name] = static_cast<double>(object.size_bytes);
    figures["readers_of_" + object.name] = object.loaders;
    figures["writers_of_" + object.name] = object.writers;
    if (object.stored_bytes != 0) {
      figures["reads_of_" + object.name] = one_decimal(ratio(object.loaded_bytes, object.stored_bytes));
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Traffic& buffer = counts.buffers.at(i);
    if (tensors[i].empty()) continue;
    figures["loads_of_" + tensors[i]] = {static_cast<double>(buffer.fewest_loads),
                                         static_cast<double>(buffer.most_loads)};
    figures["loaders_of_" + tensors[i]] = buffer.loaders;
    figures["bytes_of_" + tensors[i]] = one_decimal(ratio(buffer.distinct_bytes, counts.threadgroups));
    if (buffer.transactions == 0) continue;
    figures["bytes_per_transaction_of_" + tensors[i]] =
        one_decimal(ratio(buffer.transaction_bytes, buffer.transactions));
  }
}

/// From two lengths of K, `few` and `many` K tiles, over `tiles` tiles of the output.
void add_per_k_tile(const Counts& short_k, const Counts& long_k, std::int64_t few, std::int64_t many,
                    std::int64_t tiles, const std::vector<std::string>& tensors, Figures& figures) {
  const auto steps = static_cast<std::uint64_t>((many - few) * tiles);
  const auto per_step = [&](std::uint64_t in_short, std::uint64_t in_long) {
    return one_decimal(ratio(in_long - in_short, steps));
  };
  const double barriers = per_step(short_k.threadgroup_barriers, long_k.threadgroup_barriers);
  figures["threadgroup_barriers_per_k_tile"] = barriers;
  figures["threadgroup_barriers_outside_k"] =
      one_decimal(ratio(short_k.threadgroup_barriers, static_cast<std::uint64_t>(tiles))) -
      barriers * static_cast<double>(few);
  double simdgroup_barriers = 0, operations = 0, loads = 0, all_operations = 0;
  for (std::size_t i = 0; i < long_k.simdgroups.size(); ++i) {
    const auto &a = short_k.simdgroups[i], &b = long_k.simdgroups[i];
    simdgroup_barriers = std::max(simdgroup_barriers, per_step(a.barriers, b.barriers));
    loads = std::max(loads, per_step(a.matrix_loads, b.matrix_loads));
    const double own = per_step(a.matrix_multiplications, b.matrix_multiplications);
    operations = std::max(operations, own);
    all_operations += own;
  }
  figures["simdgroup_barriers_per_k_tile"] = simdgroup_barriers;
  figures["matrix_operations_per_k_tile"] = operations;
  figures["threadgroup_matrix_operations_per_k_tile"] = all_operations;
  figures["matrix_loads_per_k_tile"] = loads;
  figures["threadgroup_bytes_stored_per_k_tile"] = per_step(bytes_stored(short_k), bytes_stored(long_k));
  for (std::size_t i = 0; i < long_k.threadgroup_memory.size(); ++i) {
    const Traffic &a = short_k.threadgroup_memory[i], &b = long_k.threadgroup_memory[i];
    if (b.stored_bytes == a.stored_bytes) continue;
    figures["reads_of_" + b.name] =
        one_decimal(ratio(b.loaded_bytes - a.loaded_bytes, b.stored_bytes - a.stored_bytes));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Traffic &a = short_k.buffers.at(i), &b = long_k.buffers.at(i);
    if (tensors[i].empty()) continue;
    figures["bytes_per_k_tile_of_" + tensors[i]] = per_step(a.distinct_bytes, b.distinct_bytes);
    figures["loaded_bytes_per_k_tile_of_" + tensors[i]] = per_step(a.loaded_bytes, b.loaded_bytes);
  }
}

/// From two numbers of interleaved streams.
void add_per_stream(const Counts& few, const Counts& many, std::int64_t between,
                    const std::vector<std::string>& tensors, Figures& figures) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].empty()) continue;
    const double more = static_cast<double>(many.buffers.at(i).loaders) - few.buffers.at(i).loaders;
    figures["loaders_per_stream_of_" + tensors[i]] = one_decimal(more / static_cast<double>(between));
  }
}

/// From two sizes of a batch.
void add_per_batch_row(const Counts& few, const Counts& many, std::int64_t between,
                       const std::vector<std::string>& tensors, Figures& figures) {
  const double rows = static_cast<double>(between) * static_cast<double>(many.threadgroups);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].empty()) continue;
    const double more = static_cast<double>(many.buffers.at(i).loaded_bytes) -
                        static_cast<double>(few.buffers.at(i).loaded_bytes);
    figures["loaded_bytes_per_batch_row_of_" + tensors[i]] = one_decimal(more / rows);
  }
}

std::int64_t tiles_over(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

/// Tiles of the output; 1 where the kernel or the operation has none.
std::int64_t output_tiles(const KernelEntry& entry, const Dims& dims) {
  if (!entry.tile || !dims.contains("M") || !dims.contains("N")) return 1;
  return tiles_over(dims.at("M"), entry.tile->m) * tiles_over(dims.at("N"), entry.tile->n);
}

/// JSON has no infinity: null stands for it.
nlohmann::json number(double value) { return std::isinf(value) ? nlohmann::json() : nlohmann::json(value); }
double number(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

}  // namespace

nlohmann::json to_json(const Profile& counted) {
  nlohmann::json figures;
  for (const auto& [name, figure] : counted.figures) {
    figures[name] = {number(figure.low), number(figure.high)};
  }
  return {{"type", "profile"}, {"dims", counted.dims}, {"figures", figures}};
}

Profile profile_from_json(const nlohmann::json& message) {
  Profile counted;
  counted.dims = message.at("dims").get<Dims>();
  for (const auto& [name, figure] : message.at("figures").items()) {
    counted.figures[name] = {number(figure.at(0)), number(figure.at(1))};
  }
  return counted;
}

Profiler::Profiler(const KernelEntry& entry)
    : entry_(entry),
      device_(remote::make_remote(device::kDefaultDevice, {.mode = device::Mode::counted, .limits = {}})),
      kernel_(device_->load(entry.kernel_source())) {
  properties::operation_of(entry).prepare(entry.arithmetic);  // which count() may be too confined to do
}

Profiler::~Profiler() = default;

Profile Profiler::count(const Dims& wanted) {
  const auto& entry = entry_;
  const auto& operation = properties::operation_of(entry);
  const auto space = operation.cases(properties::traits_of(entry));
  const auto tensors = tensors_of(entry, operation);
  const auto tile = entry.tile.value_or(Tile{kSide, kSide / 2, kSide / kManyKTiles});
  const Dims usual = {{"M", tile.m},      {"N", 2 * tile.n},       {"K", kManyKTiles * tile.k},
                      {"group_size", 32}, {"parallel", 1},         {"streams", kStreams},
                      {"batch", kBatch},  {"intermediate", tile.n}};
  const auto counts = [&](const Dims& other, Dims& dims) {
    dims = usual;
    for (const auto& [name, value] : wanted) dims[name] = value;
    for (const auto& [name, value] : other) dims[name] = value;
    dims["threadgroups"] = output_tiles(entry, dims);
    auto test_case = space.nearest(dims);
    // Of one value throughout, coded streams hold no byte to decode and all indices look up one level.
    space.set_regime(test_case, "random");
    dims = test_case.dims;
    const auto problem = operation.make_problem(test_case);
    const Binding binding(*device_, kernel_, entry, problem);
    const auto report = device_->dispatch(binding.dispatch());
    if (!report.clean()) {
      const auto& fault = report.faults.front();
      throw std::runtime_error(fmt::format("while it was counted at {}: {}: {}", assay::to_text(dims),
                                           assay::headline(fault), fault.message));
    }
    return *report.counts;
  };
  Profile counted;
  const Counts many = counts({}, counted.dims);
  add_whole(many, tensors, counted.figures);
  // Adds the difference to half as much of a dimension, where the kernel takes less of it.
  const auto vary = [&](const std::string& dimension, auto&& add) {
    const auto most = counted.dims.find(dimension);
    if (most == counted.dims.end() || most->second == 1) return;
    Dims fewer;
    const Counts few = counts({{dimension, most->second / 2}}, fewer);
    const std::int64_t between = most->second - fewer.at(dimension);
    fewer[dimension] = most->second;
    if (between > 0 && fewer == counted.dims) add(few, many, between, tensors, counted.figures);
  };
  vary("streams", add_per_stream);
  vary("batch", add_per_batch_row);
  if (!counted.dims.contains("K")) {
    std::uint64_t operations = 0, loads = 0;
    for (const auto& simdgroup : many.simdgroups) {
      operations += simdgroup.matrix_multiplications;
      loads += simdgroup.matrix_loads;
    }
    counted.figures["threadgroup_matrix_operations"] = one_decimal(ratio(operations, many.threadgroups));
    counted.figures["threadgroup_matrix_loads"] = one_decimal(ratio(loads, many.threadgroups));
    return counted;
  }
  if (!entry.tile) return counted;
  Dims fewer;
  const Counts few = counts({{"K", kFewKTiles * tile.k}}, fewer);
  const std::int64_t few_tiles = tiles_over(fewer.at("K"), tile.k);
  const std::int64_t many_tiles = tiles_over(counted.dims.at("K"), tile.k);
  if (few_tiles >= many_tiles) return counted;  // the kernel takes one length only
  add_per_k_tile(few, many, few_tiles, many_tiles, output_tiles(entry, fewer), tensors, counted.figures);
  return counted;
}

std::string claims_text(const KernelEntry& entry, const Profile& counted) {
  std::string text;
  for (const auto& claim : assay::compare_claims(entry, counted.figures)) {
    if (!claim.holds()) text += fmt::format("  {}\n", claim.text());
  }
  if (text.empty()) return text;
  return fmt::format(
      "{}: CLAIM DIFFERS\n{}\n    manifest {}\n    counted  {} {}\n    again    assay profile {} --manifest "
      "{}\n",
      entry.name, text, entry.manifest.string(), entry.operation, assay::to_text(counted.dims), entry.name,
      entry.manifest.string());
}

}  // namespace assay::profile
