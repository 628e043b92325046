#include "assay/metal_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/device/source_text.hpp"
#include "harness/draft/kernel_reader.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/settings.hpp"
#include "harness/metal_kernel/metal_text.hpp"
#include "harness/run/failure_json.hpp"
#include "harness/run/test_devices.hpp"
#include "harness/sandbox/processor_clock.hpp"
#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/report.hpp"

namespace assay {
namespace {

using Kind = MetalParameter::Kind;

/// Of Metal, for each kernel.
constexpr std::size_t kMostTextures = 128, kMostSamplers = 16;

/// In the order of device::TextureWrap.
constexpr std::array<std::string_view, 5> kWraps = {"clamp_to_edge", "clamp_to_zero", "clamp_to_border",
                                                    "repeat", "mirrored_repeat"};

MetalParameter parameter_of(const draft::Parameter& read) {
  MetalParameter one;
  one.name = read.name;
  one.written = read.written;
  one.writable = read.writable;
  switch (read.kind) {
    case draft::Parameter::Kind::scalars:
      one.kind = Kind::value;
      break;
    case draft::Parameter::Kind::threadgroup:
      one.kind = Kind::threadgroup;
      break;
    default:
      break;
  }
  return one;
}

MetalPart part_of(const device::MemoryShape& shape) {
  constexpr std::array<const char*, 17> kNames = {"",     "pointer", "structure", "array",  "array", "uchar",
                                                  "char", "ushort",  "short",     "uint",   "int",   "ulong",
                                                  "long", "float",   "half",      "bfloat", "bool"};
  MetalPart part{shape.name,   kNames.at(static_cast<std::size_t>(shape.kind)),
                 shape.offset, shape.size,
                 shape.count,  !shape.read_only};
  for (const auto& one : shape.parts) part.parts.push_back(part_of(one));
  return part;
}

/// Of a parameter that leads to numbers or vectors alone.
MetalPart part_of(const draft::ElementType& read) {
  if (read.type.empty()) return {};
  const std::size_t scalar = read.wide ? 8 : read.type_bytes;
  const std::size_t count = read.scalars.empty() ? read.size / scalar : read.scalars.size();
  const std::string type = !read.wide             ? read.type
                           : read.scalars.empty() ? "ulong"
                                                  : read.scalars.front().type;
  return {"", type, 0, read.size, count};
}

/// Those of the compiled kernel, which function constants may have switched off, with what the text says of
/// them.
std::vector<MetalParameter> parameters_of(const draft::KernelText& text, const metal::KernelModule& module) {
  std::vector<MetalParameter> all;
  const auto add = [&](const std::string& name, int index, std::optional<Kind> kind) {
    const auto* read = text.find(name);
    auto one = read != nullptr ? parameter_of(*read) : MetalParameter{};
    one.name = name;
    one.index = static_cast<std::size_t>(index);
    if (kind) one.kind = *kind;
    all.push_back(std::move(one));
  };
  for (const auto& one : module.parameters()) {
    add(one.name, one.index, one.threadgroup ? std::optional(Kind::threadgroup) : std::nullopt);
    if (one.threadgroup) continue;
    if (!one.shape.parts.empty()) {
      all.back().memory = part_of(one.shape.parts.front());
    } else if (const auto* read = text.find(one.name)) {
      all.back().memory = part_of(read->element);
    }
  }
  for (const auto& one : module.textures()) {
    add(one.name, one.index, Kind::texture);
    all.back().writable = one.access == metal::TextureParameter::Access::write ||
                          one.access == metal::TextureParameter::Access::read_write;
  }
  for (const auto& one : module.samplers()) add(one.name, one.index, Kind::sampler);
  const auto place = [&](const MetalParameter& one) {
    return std::find_if(text.parameters.begin(), text.parameters.end(),
                        [&](const draft::Parameter& read) { return read.name == one.name; });
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return all;
}

void demand(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

device::Size3 size_of(const MetalSize& size, const char* what) {
  demand(size.x > 0 && size.y > 0 && size.z > 0,
         fmt::format("{} = ({}, {}, {}): each must be at least 1", what, size.x, size.y, size.z));
  return {size.x, size.y, size.z};
}

/// What `work` finds wrong with texts, in their author's words.
template <class Work>
void explained(const std::optional<MetalTexts>& texts, const Work& work) {
  try {
    work();
  } catch (const metal::UnusedSetting& unused) {
    throw std::invalid_argument(fmt::format("{}: {}", unused.field(), unused.why()));
  } catch (const metal::SourceError& error) {
    const device::SourcePlace inside{error.file(), error.line()};
    const auto place = texts ? texts->shown(inside) : inside;
    const std::string what = texts ? texts->shown(std::string(error.what())) : error.what();
    throw MetalError(what, dynamic_cast<const metal::UnsupportedFeature*>(&error) != nullptr, place.file,
                     place.line);
  }
}

}  // namespace

std::vector<std::string> metal_kernels(const MetalSource& source) {
  std::optional<MetalTexts> texts;
  std::vector<std::string> names;
  explained(texts, [&] {
    texts.emplace(source, MetalTexts::Function::any);
    names = draft::kernels_of(texts->source());
  });
  return names;
}

class MetalKernel::State {
 public:
  State(const MetalSource& source, const MetalOptions& options) : options_(options) {
    explained(texts_, [&] {
      texts_.emplace(source);
      load(source);
    });
  }

  const std::string& function() const { return text_.function; }
  const std::vector<MetalParameter>& parameters() const { return parameters_; }

  MetalReport run(const MetalLaunch& launch) {
    check(launch);
    texts_->remember();
    // Processes that are forked for it take the limit with them.
    const double limit = sandbox::processor_time_limit();
    sandbox::limit_processor_time(options_.timeout_s);
    MetalReport report;
    try {
      if (!devices_) open();
      report = run_bound(launch);
    } catch (const process::KernelProcessEnded& ended) {
      devices_.reset();
      report = report_of(ended.death, launch);
    } catch (...) {
      devices_.reset();
      sandbox::limit_processor_time(limit);
      throw;
    }
    sandbox::limit_processor_time(limit);
    return report;
  }

 private:
  run::Mode mode() const { return options_.checked ? run::Mode::checked : run::Mode::fast; }

  void load(const MetalSource& source) {
    text_ = draft::read_kernel(texts_->source());
    texts_->name_constants(source, text_.constants);
    module_ = metal::compile(texts_->source(), run::flavour_of(mode()));
    parameters_ = parameters_of(text_, *module_);
  }

  // A process that has ended takes what it knew with it.
  void open() {
    run::TestDeviceOptions options;
    options.module = module_;
    devices_ = std::make_unique<run::TestDevices>(mode(), options);
    kernel_ = device().load(texts_->source());
  }

  device::Device& device() const { return *devices_->devices().front().device; }

  const MetalParameter* find(std::size_t index, std::initializer_list<Kind> kinds) const {
    const auto found = std::find_if(parameters_.begin(), parameters_.end(), [&](const auto& one) {
      return one.index == index && std::find(kinds.begin(), kinds.end(), one.kind) != kinds.end();
    });
    return found == parameters_.end() ? nullptr : &*found;
  }

  void check(const MetalLaunch& launch) const {
    (void)size_of(launch.grid, "grid");
    (void)size_of(launch.threads, "threads");
    std::set<std::size_t> bound;
    for (const auto& buffer : launch.buffers) {
      demand(!buffer.bytes.empty(),
             fmt::format("a buffer for {} has no bytes; Metal has none of that size", called(buffer.index)));
      bound.insert(buffer.index);
      if (!buffer.part_of) continue;
      demand(*buffer.part_of < launch.buffers.size() && !launch.buffers[*buffer.part_of].part_of,
             "a buffer is part of one that the launch has not");
      const std::size_t all = launch.buffers[*buffer.part_of].bytes.size();
      demand(buffer.offset_bytes <= all && buffer.bytes.size() <= all - buffer.offset_bytes,
             fmt::format("the buffer for {} does not lie in what it is part of", called(buffer.index)));
    }
    for (const auto& [index, bytes] : launch.values) bound.insert(index);
    for (const auto& one : parameters_) {
      const bool memory = one.kind == Kind::buffer || one.kind == Kind::value;
      demand(!memory || bound.contains(one.index),
             fmt::format("nothing is bound to `{}`, [[buffer({})]]: {}", one.name, one.index, one.written));
      const auto here = [&](const auto& what) { return what.index == one.index; };
      demand(one.kind != Kind::texture || std::any_of(launch.textures.begin(), launch.textures.end(), here),
             fmt::format("nothing is bound to `{}`, [[texture({})]]", one.name, one.index));
      demand(one.kind != Kind::sampler || std::any_of(launch.samplers.begin(), launch.samplers.end(), here),
             fmt::format("nothing is bound to `{}`, [[sampler({})]]", one.name, one.index));
      if (one.kind != Kind::threadgroup) continue;
      const auto bytes = launch.threadgroup_bytes.find(one.index);
      demand(bytes != launch.threadgroup_bytes.end() && bytes->second > 0,
             fmt::format("`{}`, [[threadgroup({})]], is given no memory", one.name, one.index));
    }
    const std::size_t count = launch.buffers.size();
    for (const auto& one : launch.pointers)
      demand(one.holder < count && one.target < count, "a pointer is of a buffer that the launch has not");
    for (const auto& one : launch.textures)
      demand(one.buffer < count, "a texture is of a buffer that the launch has not");
  }

  std::string called(std::size_t index) const {
    const auto* one = find(index, {Kind::buffer, Kind::value});
    return one != nullptr ? "`" + one->name + "`" : fmt::format("[[buffer({})]]", index);
  }

  MetalReport run_bound(const MetalLaunch& launch) {
    std::vector<device::BufferId> made;  // by place; of a part, what it is part of
    const auto release = [&] {
      for (std::size_t i = 0; i < made.size(); ++i)
        if (!launch.buffers[i].part_of) device().release(made[i]);
    };
    try {
      for (const auto& buffer : launch.buffers) {
        made.push_back(buffer.part_of ? device::BufferId{} : device().allocate(buffer.bytes.size()));
        if (!buffer.part_of && buffer.use != MetalBuffer::Use::fill)
          device().upload(made.back(), 0, buffer.bytes);
      }
      for (std::size_t i = 0; i < made.size(); ++i)
        if (const auto whole = launch.buffers[i].part_of) made[i] = made[*whole];
      Evidence evidence;
      evidence.report = device().dispatch(dispatch_of(launch, made));
      for (std::size_t i = 0; evidence.report.clean() && i < made.size(); ++i) {
        if (!launch.buffers[i].part_of && launch.buffers[i].use != MetalBuffer::Use::read)
          device().download(made[i], 0, launch.buffers[i].bytes);
      }
      release();
      texts_->show(evidence.report);
      return report_of(evidence, launch);
    } catch (const process::KernelProcessEnded&) {
      throw;
    } catch (const std::exception&) {
      release();
      throw;
    }
  }

  device::Dispatch dispatch_of(const MetalLaunch& launch, const std::vector<device::BufferId>& made) const {
    device::Dispatch dispatch;
    dispatch.kernel = kernel_;
    dispatch.arguments.resize(module_->buffers_declared());
    const auto slot = [&](auto& all, std::size_t index, std::size_t most) -> auto& {
      demand(index < most, fmt::format("index {}: Metal has {}", index, most));
      if (all.size() <= index) all.resize(index + 1);
      return all[index];
    };
    const auto slice = [&](std::size_t i) {
      return device::BufferSlice{made[i], launch.buffers[i].offset_bytes, launch.buffers[i].bytes.size()};
    };
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (launch.buffers[i].index != MetalLaunch::kUnbound)
        slot(dispatch.arguments, launch.buffers[i].index, kMaxArguments) = slice(i);
    }
    for (const auto& [index, bytes] : launch.values)
      slot(dispatch.arguments, index, kMaxArguments) = device::InlineBytes{bytes};
    for (const auto& [index, bytes] : launch.threadgroup_bytes)
      slot(dispatch.threadgroup_bytes, index, kMaxArguments) = bytes;
    for (const auto& one : launch.textures) {
      const auto format = device::texture_format(one.format);
      demand(format.has_value(), fmt::format("{} is no texture format", one.format));
      const device::TextureShape shape{*format, one.width, one.height, one.depth, one.layers};
      const auto bytes = device::texture_bytes(shape), size = launch.buffers[one.buffer].bytes.size();
      demand(bytes == size,
             fmt::format("the texels of texture {} are {} bytes, its memory has {}", one.index, bytes, size));
      slot(dispatch.textures, one.index, kMostTextures) = device::Texture{slice(one.buffer), shape};
    }
    for (const auto& one : launch.samplers) {
      device::Sampler sampler{one.linear, one.pixels, {}};
      const auto wrap = std::find(kWraps.begin(), kWraps.end(), one.wrap);
      demand(wrap != kWraps.end(),
             fmt::format("{} is no wrap; there are {}", one.wrap, fmt::join(kWraps, ", ")));
      sampler.wrap.fill(static_cast<device::TextureWrap>(wrap - kWraps.begin()));
      slot(dispatch.samplers, one.index, kMostSamplers) = sampler;
    }
    for (const auto& one : launch.pointers)
      dispatch.pointers.push_back({made[one.holder], one.offset_bytes, slice(one.target)});
    dispatch.grid = size_of(launch.grid, "grid");
    dispatch.grid_in_threads = launch.grid_in_threads;
    dispatch.threads_per_threadgroup = size_of(launch.threads, "threads");
    return dispatch;
  }

  MetalReport report_of(const Evidence& evidence, const MetalLaunch& launch) const {
    if (evidence.report.clean()) return {};
    const auto outcome = judge(evidence);
    return made(outcome.verdict, outcome.summary, faults_text(evidence.report), failure_of(evidence, {}),
                launch);
  }

  MetalReport report_of(const process::Death& death, const MetalLaunch& launch) const {
    const auto place = texts_->shown(death.place);
    const auto verdict = death.late() ? Verdict::timeout : Verdict::crash;
    const auto summary = death.late()
                             ? fmt::format("the launch did not end within {} s of processor time, at {}",
                                           options_.timeout_s, to_text(place))
                             : "the launch stopped its process: " + texts_->shown(death.describe());
    return made(verdict, summary, quote_source(place),
                failure_at(place.line == 0 ? std::nullopt : std::optional(place)), launch);
  }

  MetalReport made(Verdict verdict, const std::string& summary, const std::string& seen,
                   const Failure& failure, const MetalLaunch& launch) const {
    const auto size = [](const MetalSize& one) { return fmt::format("({}, {}, {})", one.x, one.y, one.z); };
    MetalReport report{std::string(name_of(verdict)), summary, {}, {}};
    report.text = fmt::format(
        "{}: {}\n  {}\n    launch  grid {} {}, threads {}\n{}", function(), report.verdict, summary,
        size(launch.grid), launch.grid_in_threads ? "threads" : "threadgroups", size(launch.threads), seen);
    auto json = run::to_json(failure);
    json["kernel"] = function();
    json["verdict"] = report.verdict;
    json["summary"] = summary;
    report.json = json.dump();
    return report;
  }

  MetalOptions options_;
  std::optional<MetalTexts> texts_;
  draft::KernelText text_;
  std::shared_ptr<const metal::KernelModule> module_;
  std::vector<MetalParameter> parameters_;
  std::unique_ptr<run::TestDevices> devices_;
  device::KernelId kernel_{};
};

MetalKernel::MetalKernel(const MetalSource& source, const MetalOptions& options)
    : state_(std::make_unique<State>(source, options)) {}
MetalKernel::~MetalKernel() = default;
MetalKernel::MetalKernel(MetalKernel&&) noexcept = default;
const std::string& MetalKernel::function() const { return state_->function(); }
const std::vector<MetalParameter>& MetalKernel::parameters() const { return state_->parameters(); }
MetalReport MetalKernel::run(const MetalLaunch& launch) { return state_->run(launch); }

}  // namespace assay
