#include "harness/draft/measure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "harness/draft/probe.hpp"
#include "harness/metal/module.hpp"
#include "harness/process/pool.hpp"

namespace assay::draft {
namespace {

using device::Size3;
using Reaches = std::vector<Reach>;

/// Combinations of sides that are followed up, of all that have been tried for one axis.
constexpr std::size_t kBeam = 4;

std::uint32_t& side_of(Size3& size, unsigned axis) {
  return axis == 0 ? size.x : axis == 1 ? size.y : size.z;
}

/// A side of the grid: times * ceil(dimension / per), or 1.
struct Side {
  int dimension = -1;
  std::int64_t times = 1, per = 1;

  std::uint32_t at(const std::vector<MeasuredDimension>& all, const Dims& dims) const {
    if (dimension < 0) return 1;
    const std::int64_t size = dims.at(all[static_cast<std::size_t>(dimension)].name);
    return static_cast<std::uint32_t>(times * ((size + per - 1) / per));
  }
  std::string text(const std::vector<MeasuredDimension>& all) const {
    if (dimension < 0) return "1";
    const std::string& name = all[static_cast<std::size_t>(dimension)].name;
    const std::string tiles = per == 1 ? name : fmt::format("ceil({} / {})", name, per);
    return times == 1 ? tiles : fmt::format("{} * {}", tiles, times);
  }
};

/// How far a buffer is touched, as a product of dimensions.
struct Extent {
  bool touched = false, known = false;
  std::multiset<int> dimensions;  ///< twice the one of a square
  std::size_t times = 1, per = 1, unit = 1;
};

/// A grid, and what it explains.
struct Grid {
  std::array<Side, 3> sides = {};
  double score = 0;
};

class Search {
 public:
  Search(const MeasureRequest& request, Probe& probe)
      : request_(request), probe_(probe), all_(request.dimensions) {
    for (auto one : request.spare) {
      one.of_grid = true;
      all_.push_back(one);
    }
    for (const auto& one : all_) base_[one.name] = one.size;
  }

  std::optional<Measured> run() {
    Measured found;
    std::vector<MeasuredBuffer>& all = found.buffers;  // and behind them the textures
    std::vector<Extent> extents;
    std::optional<Reaches> base;
    std::set<int> used;
    Grid grid;
    if (request_.grid.empty()) {
      grid = best();
      for (const Side& side : grid.sides) {
        found.grid.push_back(side.text(all_));
        used.insert(side.dimension);
      }
      base = at(grid, base_);
    } else {
      base = told(base_);
    }
    if (!base) return std::nullopt;
    grid_ = grid;
    for (int i = 0; i < count(); ++i) {
      if (!all_[static_cast<std::size_t>(i)].of_grid || !request_.grid.empty()) used.insert(i);
    }
    extents = extents_of(
        *base, used, [&](const Dims& dims) { return request_.grid.empty() ? at(grid, dims) : told(dims); });
    for (std::size_t i = 0; i < base->size(); ++i) all.push_back(buffer_of((*base)[i], extents[i]));
    find_indices(all, *base);
    const auto textures = all.begin() + static_cast<std::ptrdiff_t>(request_.arguments.size());
    found.textures.assign(textures, all.end());
    all.erase(textures, all.end());
    found.cut_short = probe_.late();
    for (const int i : used) {
      if (i < 0) continue;
      const auto& one = all_[static_cast<std::size_t>(i)];
      found.sizes += fmt::format("{}{}={}", found.sizes.empty() ? "" : " ", one.name, one.size);
    }
    return found;
  }

 private:
  int count() const { return static_cast<int>(all_.size()); }

  Size3 size_of(const Grid& grid, const Dims& dims) const {
    return {grid.sides[0].at(all_, dims), grid.sides[1].at(all_, dims), grid.sides[2].at(all_, dims)};
  }
  std::optional<Reaches> at(const Grid& grid, const Dims& dims) {
    return probe_.run(dims, size_of(grid, dims));
  }
  std::optional<Reaches> told(const Dims& dims) {
    Size3 size;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const auto side = request_.grid[axis].evaluate_integer(dims);
      if (side < 1 || side > 1 << 20) return std::nullopt;
      side_of(size, axis) = static_cast<std::uint32_t>(side);
    }
    return probe_.run(dims, size);
  }

  Dims with_other(int dimension) const {
    Dims dims = base_;
    const auto& one = all_[static_cast<std::size_t>(dimension)];
    dims[one.name] = one.other;
    return dims;
  }

  /// What a buffer's extent has to do with each dimension: nothing, or it grows as that does.
  template <class Run>
  std::vector<Extent> extents_of(const Reaches& base, const std::set<int>& used, const Run& run) {
    std::vector<Extent> extents(base.size());
    for (std::size_t b = 0; b < base.size(); ++b)
      extents[b].touched = extents[b].known = base[b].elements > 0;
    for (const int d : used) {
      if (d < 0) continue;
      const auto& one = all_[static_cast<std::size_t>(d)];
      if (one.size == one.other) continue;
      const auto other = run(with_other(d));
      const double growth = static_cast<double>(one.other) / static_cast<double>(one.size);
      for (std::size_t b = 0; b < base.size(); ++b) {
        if (!extents[b].touched) continue;
        if (!other) {
          extents[b].known = false;
          continue;
        }
        const double ratio =
            static_cast<double>((*other)[b].elements) / static_cast<double>(base[b].elements);
        if (std::abs(ratio / growth - 1) < 0.06) {
          extents[b].dimensions.insert(d);
        } else if (std::abs(ratio / growth / growth - 1) < 0.06) {
          extents[b].dimensions.insert({d, d});
        } else if (std::abs(ratio - 1) > 0.02) {
          extents[b].known = false;
        }
      }
    }
    for (std::size_t b = 0; b < base.size(); ++b) find_factor(b, base[b], extents[b]);
    return extents;
  }

  void find_factor(std::size_t index, const Reach& reach, Extent& extent) const {
    if (!extent.known) return;
    if (index < request_.arguments.size()) extent.unit = request_.arguments[index].unit;
    double product = 1;
    for (const int d : extent.dimensions)
      product *= static_cast<double>(all_[static_cast<std::size_t>(d)].size);
    const double factor = static_cast<double>(reach.elements) / static_cast<double>(extent.unit) / product;
    if (factor > 0.9) {
      extent.times = static_cast<std::size_t>(std::lround(factor));
      extent.known = std::abs(factor / static_cast<double>(extent.times) - 1) < 0.04;
    } else {
      extent.per = static_cast<std::size_t>(std::lround(1 / factor));
      extent.known = extent.per <= 256 && std::abs(1 / factor / static_cast<double>(extent.per) - 1) < 0.1;
    }
    // A constant that is as large as a dimension which has one size is that dimension.
    for (int d = 0; d < count() && extent.known; ++d) {
      const auto& one = all_[static_cast<std::size_t>(d)];
      const auto size = static_cast<std::size_t>(one.size);
      if (one.size != one.other || size < 2 || extent.times % size != 0) continue;
      extent.times /= size;
      extent.dimensions.insert(d);
    }
  }

  /// A thread for each texel, as hosts launch what works on textures: of the first that is written to, or
  /// else the first. Only where more threads would have nothing to do; that some of these have none is
  /// common.
  std::optional<Grid> of_texels() {
    if (!request_.in_threads) return std::nullopt;
    const MeasuredTexture* texture = nullptr;
    for (const auto& one : request_.textures) {
      if (one.bound && (texture == nullptr || (one.writable && !texture->writable))) texture = &one;
    }
    if (texture == nullptr || texture->extents.size() < request_.axes) return std::nullopt;
    Grid grid;
    for (unsigned axis = 0; axis < request_.axes; ++axis) {
      const auto& extent = texture->extents[texture->extents.size() - 1 - axis];
      const auto named = std::find_if(all_.begin(), all_.end(), [&](const auto& one) {
        return extent.is_name() && one.name == extent.text();
      });
      if (named == all_.end()) return std::nullopt;
      grid.sides[axis].dimension = static_cast<int>(named - all_.begin());
    }
    if (request_.axes == 1 && texture->extents.size() > 1) return std::nullopt;
    const auto whole = at(grid, base_);
    if (!whole) return std::nullopt;
    for (unsigned axis = 0; axis < request_.axes; ++axis) {
      Size3 more = size_of(grid, base_);
      ++side_of(more, axis);
      if (const auto wider = probe_.run(base_, more); !wider || *wider != *whole) return std::nullopt;
    }
    return grid;
  }

  Grid best() {
    if (const auto grid = of_texels()) return *grid;
    std::vector<std::vector<unsigned>> orders = {{0}};
    if (request_.axes == 2) orders = {{0, 1}, {1, 0}};
    if (request_.axes == 3) orders = {{0, 1, 2}, {1, 0, 2}};
    std::optional<Grid> found;
    for (const auto& order : orders) {
      std::vector<Grid> beam(1);
      for (const unsigned axis : order) beam = grown(beam, axis);
      if (!beam.empty() && explains_all(beam.front())) return beam.front();
      if (!beam.empty() && (!found || beam.front().score > found->score)) found = beam.front();
    }
    if (!found) return {};
    return shared(adopted(*found));
  }

  /// A kernel that shares its work among as many as there are takes any grid. What is found for it is the
  /// least, one thread or threadgroup, with which nothing is shared.
  Grid shared(Grid grid) {
    const bool least = std::all_of(grid.sides.begin(), grid.sides.end(),
                                   [](const Side& side) { return side.dimension < 0; });
    if (!request_.any_grid || !least) return grid;
    Grid larger = grid;
    larger.sides[0].dimension = static_cast<int>(request_.dimensions.size());
    return at(larger, base_) ? larger : grid;
  }

  /// Every grid of the beam with every side that this axis may have; the best of them.
  std::vector<Grid> grown(const std::vector<Grid>& beam, unsigned axis) {
    std::vector<Grid> next;
    for (const Grid& grid : beam) {
      for (const Side& side : sides(axis)) {
        Grid one = grid;
        one.sides[axis] = side;
        if (const auto score = score_of(one, axis)) {
          one.score = *score;
          next.push_back(one);
          if (explains_all(one)) return {one};
        }
      }
      Grid flat = grid;  // this axis may be of one
      if (const auto score = score_of(flat, axis)) {
        flat.score = *score - 0.5;
        next.push_back(flat);
      }
    }
    std::stable_sort(next.begin(), next.end(),
                     [](const Grid& a, const Grid& b) { return a.score > b.score; });
    if (next.size() > kBeam) next.resize(kBeam);
    return next;
  }

  /// Each side covers what the kernel looks at, and every buffer is a product of dimensions.
  bool explains_all(const Grid& grid) {
    const auto base = at(grid, base_);
    if (!base) return false;
    double most = 0;
    for (const Reach& reach : *base) most += reach.elements > 0 ? 2 : 0;
    return most > 0 && grid.score >= most + 0.5;
  }

  std::vector<Side> sides(unsigned axis) const {
    std::vector<std::int64_t> per = {1};  // what the text names comes first
    const auto add = [&](std::int64_t one) {
      if (std::find(per.begin(), per.end(), one) == per.end()) per.push_back(one);
    };
    std::for_each(request_.tiles.begin(), request_.tiles.end(), add);
    const auto& t = request_.threads;
    const std::int64_t total = std::int64_t{t.x} * t.y * t.z, groups = std::max<std::int64_t>(total / 32, 1);
    std::set<std::int64_t> usual = {2, 4, 8};
    if (!request_.in_threads)
      usual = {t.x,        t.y, total, 2 * total, 4 * total, groups, 2 * groups,
               4 * groups, 8,   16,    32,        64,        128,    256};
    std::for_each(usual.begin(), usual.end(), add);
    std::vector<Side> all;
    for (int d = count(); d-- > 0;) {  // those of the grid first: they explain most kernels
      const auto& one = all_[static_cast<std::size_t>(d)];
      if (one.of_grid && d != static_cast<int>(request_.dimensions.size() + axis)) continue;
      if (one.of_grid || one.size == one.other) {
        all.push_back({d, 1, 1});
      } else {
        for (const auto p : per) all.push_back({d, 1, p});
      }
      if (request_.in_threads && axis == 0) all.push_back({d, 32, 1});
    }
    return all;
  }

  /// How well a grid explains what is touched; nothing where the side of `axis` is too long, or where
  /// launches fail.
  std::optional<double> score_of(const Grid& grid, unsigned axis) {
    const auto base = at(grid, base_);
    if (!base) return std::nullopt;
    const Side& side = grid.sides[axis];
    double score = 0;
    if (side.dimension >= 0) {
      const auto& one = all_[static_cast<std::size_t>(side.dimension)];
      // At a size where the side has more than one.
      Dims dims = base_;
      if (side.at(all_, dims) <= side.times && one.other > one.size)
        dims[one.name] = std::max(one.other, one.most_tried(2 * side.per));
      const auto first = fit_of(grid, axis, dims);
      if (first == Fit::too_long || first == Fit::fails) return std::nullopt;
      if (one.of_grid && first == Fit::covers) return std::nullopt;
      if (first == Fit::covers) score += 1;
      if (first == Fit::single) score -= 0.5;
      if (one.of_grid) score += 0.25;
      // What holds at these sizes holds at others.
      for (int d = 0; d < count() && first != Fit::single; ++d) {
        const auto& changed = all_[static_cast<std::size_t>(d)];
        const bool in_grid = std::any_of(grid.sides.begin(), grid.sides.end(),
                                         [&](const Side& each) { return each.dimension == d; });
        if (changed.size == changed.other || (changed.of_grid && !in_grid)) continue;
        Dims more = dims;
        more[changed.name] = 2 * dims.at(changed.name);
        if (changed.bounded) more[changed.name] = changed.other;
        if (fit_of(grid, axis, more) != first) return std::nullopt;
      }
    }
    std::set<int> used;
    for (const Side& each : grid.sides) used.insert(each.dimension);
    for (std::size_t d = 0; d < request_.dimensions.size(); ++d) used.insert(static_cast<int>(d));
    const auto extents = extents_of(*base, used, [&](const Dims& dims) { return at(grid, dims); });
    for (const Extent& extent : extents) {
      // A constant size is likelier of a grid that is too small, and so is a part of the dimensions.
      if (extent.touched)
        score += !extent.known ? -3 : extent.dimensions.empty() ? 1.5 : extent.per == 1 ? 2 : 1.9;
    }
    return score;
  }

  /// How long a side is: its last is needed, and one more would have something to do, or not.
  enum class Fit { single, too_long, open, covers, fails };
  Fit fit_of(const Grid& grid, unsigned axis, const Dims& dims) {
    const auto times = static_cast<std::uint32_t>(grid.sides[axis].times);
    Size3 size = size_of(grid, dims);
    if (side_of(size, axis) <= times) return Fit::single;
    const auto whole = probe_.run(dims, size);
    side_of(size, axis) -= times;
    const auto less = probe_.run(dims, size);
    if (!whole || !less) return Fit::fails;
    if (*whole == *less) return Fit::too_long;
    side_of(size, axis) += 2 * times;
    const auto more = probe_.run(dims, size);
    return more && *more == *whole ? Fit::covers : Fit::open;
  }

  /// A scalar on which nothing depends is the side of the grid that no scalar gives: the rows, which the host
  /// knows and the kernel does not ask for.
  Grid adopted(Grid grid) {
    const auto base = at(grid, base_);
    if (!base) return grid;
    std::vector<int> idle;
    for (int d = 0; d < static_cast<int>(request_.dimensions.size()); ++d) {
      const auto& one = all_[static_cast<std::size_t>(d)];
      if (one.size == one.other) continue;
      const auto other = at(grid, with_other(d));
      if (other && *other == *base) idle.push_back(d);
    }
    std::vector<Side*> made_up;
    for (Side& side : grid.sides) {
      if (side.dimension >= 0 && all_[static_cast<std::size_t>(side.dimension)].of_grid)
        made_up.push_back(&side);
    }
    if (idle.size() == 1 && made_up.size() == 1) made_up.front()->dimension = idle.front();
    return grid;
  }

  /// Rows before columns: the dimension of the grid's x is the last.
  std::vector<int> in_order(const std::multiset<int>& dimensions) const {
    std::vector<int> order(dimensions.begin(), dimensions.end());
    const auto rank = [&](int d) {
      for (unsigned axis = 0; axis < 3; ++axis) {
        if (grid_.sides[axis].dimension != d) continue;
        return all_[static_cast<std::size_t>(d)].of_grid ? -static_cast<int>(axis) - 1
               : axis == 0                               ? 5
                                                         : 3 - static_cast<int>(axis);
      }
      return 4;
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
    return order;
  }

  MeasuredBuffer buffer_of(const Reach& reach, const Extent& extent) const {
    MeasuredBuffer buffer{extent.touched, reach.loaded, reach.stored, extent.known, {},
                          reach.elements, false,        reach.filled};
    if (!extent.known) return buffer;
    const auto order = in_order(extent.dimensions);
    for (const int d : order) buffer.shape.push_back(all_[static_cast<std::size_t>(d)].name);
    if (extent.per > 1) {
      std::size_t packed = buffer.shape.size() - 1;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto side = std::find_if(grid_.sides.begin(), grid_.sides.end(),
                                       [&](const Side& one) { return one.dimension == order[i]; });
        if (side == grid_.sides.end()) {
          packed = i;
        } else if (side->per == static_cast<std::int64_t>(extent.per)) {  // a thread for each word
          packed = i;
          break;
        }
      }
      buffer.shape[packed] = fmt::format("ceil({} / {})", buffer.shape[packed], extent.per);
    }
    if (extent.times > 1 || (buffer.shape.empty() && extent.unit == 1))
      buffer.shape.push_back(std::to_string(extent.times));
    if (extent.unit > 1) buffer.shape.push_back(std::to_string(extent.unit));
    return buffer;
  }

  /// Whole numbers that a launch is given, and that may say where it goes.
  bool may_be_index(std::size_t i) const {
    if (i >= request_.arguments.size()) {
      const auto& texture = request_.textures[i - request_.arguments.size()];
      return texture.bound && !texture.writable && is_integer(channel_type(texture.format));
    }
    const auto& argument = request_.arguments[i];
    const bool whole = argument.type != "half" && argument.type != "float" && argument.type != "bfloat";
    return argument.buffer && whole && !argument.writable;
  }

  void find_indices(std::vector<MeasuredBuffer>& found, const Reaches& base) {
    for (std::size_t i = 0; i < base.size(); ++i) {
      if (!may_be_index(i) || !base[i].loaded) continue;
      Size3 size;
      if (request_.grid.empty()) size = size_of(grid_, base_);
      for (unsigned axis = 0; axis < 3 && !request_.grid.empty(); ++axis)
        side_of(size, axis) = static_cast<std::uint32_t>(request_.grid[axis].evaluate_integer(base_));
      const auto odd = probe_.run(base_, size, i);
      found[i].is_index = odd ? *odd != base : !probe_.late();
    }
  }

  const MeasureRequest& request_;
  Probe& probe_;
  std::vector<MeasuredDimension> all_;
  Dims base_;
  Grid grid_;
};

nlohmann::json to_json(const std::vector<MeasuredBuffer>& buffers) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& one : buffers) {
    all.push_back({{"touched", one.touched},
                   {"loaded", one.loaded},
                   {"stored", one.stored},
                   {"known", one.known},
                   {"shape", one.shape},
                   {"elements", one.elements},
                   {"index", one.is_index},
                   {"filled", one.filled}});
  }
  return all;
}

nlohmann::json to_json(const Measured& measured) {
  return {{"buffers", to_json(measured.buffers)},
          {"textures", to_json(measured.textures)},
          {"grid", measured.grid},
          {"sizes", measured.sizes},
          {"cut_short", measured.cut_short}};
}

std::vector<MeasuredBuffer> buffers_from(const nlohmann::json& message) {
  std::vector<MeasuredBuffer> all;
  for (const auto& one : message) {
    all.push_back({one.at("touched").get<bool>(), one.at("loaded").get<bool>(), one.at("stored").get<bool>(),
                   one.at("known").get<bool>(), one.at("shape").get<std::vector<std::string>>(),
                   one.at("elements").get<std::size_t>(), one.at("index").get<bool>(),
                   one.at("filled").get<bool>()});
  }
  return all;
}

Measured measured_from(const nlohmann::json& message) {
  Measured measured;
  measured.buffers = buffers_from(message.at("buffers"));
  measured.textures = buffers_from(message.at("textures"));
  measured.grid = message.at("grid").get<std::vector<std::string>>();
  measured.sizes = message.at("sizes").get<std::string>();
  measured.cut_short = message.at("cut_short").get<bool>();
  return measured;
}

}  // namespace

std::optional<Measured> measure(const MeasureRequest& request, double timeout_s, std::string& why) {
  std::optional<Measured> found;
  process::Job job;
  job.processor_limit_s = timeout_s + 10;  // of a launch that does not end
  job.idle_limit_s = 60 + 10 * timeout_s;
  job.work = [&](const process::Reporter& reporter) {
    Probe probe(request, timeout_s);
    reporter.send(process::run_confined(reporter, [&]() -> nlohmann::json {
      const auto measured = Search(request, probe).run();
      return measured ? to_json(*measured) : nlohmann::json{{"why", probe.fault()}};
    }));
  };
  job.hear = [&](const nlohmann::json& message) {
    if (message.contains("why")) why = message.at("why").get<std::string>();
    if (!message.contains("buffers")) return true;
    found = measured_from(message);
    return false;
  };
  job.ended = [&](const process::JobEnd& end) {
    if (found || !why.empty()) return;
    why = !end.failure.empty() ? end.failure
          : end.late           ? "the kernel does not end"
          : end.death          ? end.death->describe()
                               : "the process ended";
  };
  process::run_job(std::move(job));
  if (found && (found->buffers.size() != request.arguments.size() ||
                found->textures.size() != request.textures.size()))
    found.reset();
  return found;
}

namespace {

nlohmann::json to_json(const device::MemoryShape& shape) {
  nlohmann::json parts = nlohmann::json::array();
  for (const auto& part : shape.parts) parts.push_back(to_json(part));
  return {shape.name,  shape.kind,      shape.offset, shape.size,     shape.align,
          shape.count, shape.read_only, shape.single, shape.constant, parts};
}

device::MemoryShape shape_from(const nlohmann::json& message) {
  device::MemoryShape shape{message.at(0).get<std::string>(), message.at(1).get<device::MemoryShape::Kind>(),
                            message.at(2).get<std::size_t>(), message.at(3).get<std::size_t>(),
                            message.at(4).get<std::size_t>(), message.at(5).get<std::size_t>(),
                            message.at(6).get<bool>(),        message.at(7).get<bool>(),
                            message.at(8).get<bool>(),        {}};
  for (const auto& part : message.at(9)) shape.parts.push_back(shape_from(part));
  return shape;
}

}  // namespace

CompiledKernel compile_kernel(const device::KernelSource& source) {
  std::optional<CompiledKernel> found;
  std::string why;
  process::Job job;
  job.work = [&](const process::Reporter& reporter) {
    const auto module = metal::compile(source, metal::Flavour::checked);
    nlohmann::json message = {{"indices", module->buffers_declared()},
                              {"most_threads", module->max_threads_per_threadgroup()},
                              {"samplers", module->samplers_declared()},
                              {"textures", nlohmann::json::array()},
                              {"parameters", nlohmann::json::array()}};
    for (const auto& one : module->textures())
      message["textures"].push_back({one.name, one.index, one.kind, one.numbers, one.access});
    for (const auto& one : module->parameters())
      message["parameters"].push_back(
          {one.name, one.index, one.threadgroup,
           device::pointers_behind(one.shape, one.name).empty() ? nlohmann::json() : to_json(one.shape)});
    reporter.send(message);
  };
  job.hear = [&](const nlohmann::json& message) {
    if (!message.contains("parameters")) return true;
    found.emplace();
    found->indices = message.at("indices").get<std::size_t>();
    found->most_threads = message.at("most_threads").get<std::uint32_t>();
    found->samplers = message.at("samplers").get<std::size_t>();
    for (const auto& one : message.at("textures")) {
      found->textures.push_back(
          {one.at(0).get<std::string>(), one.at(1).get<int>(), one.at(2).get<device::TextureKind>(),
           one.at(3).get<device::TextureNumbers>(), one.at(4).get<metal::TextureParameter::Access>()});
    }
    for (const auto& one : message.at("parameters")) {
      if (!one.at(3).is_null()) found->shapes[one.at(0).get<std::string>()] = shape_from(one.at(3));
      (one.at(2).get<bool>() ? found->threadgroup : found->buffers)[one.at(0).get<std::string>()] =
          one.at(1).get<unsigned>();
    }
    return false;
  };
  job.ended = [&](const process::JobEnd& end) {
    why = !end.failure.empty() ? end.failure : end.death ? end.death->describe() : "the process ended";
  };
  process::run_job(std::move(job));
  if (!found) throw std::runtime_error(why);
  return *found;
}

}  // namespace assay::draft
