// rANS: symbols a second on one core and compressed size, for 1, 4, 8 and 32 streams a tile. Reference
// decoding, all checks included; and the kernels on the simulated GPU.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "harness/run/manifests.hpp"
#include "harness/simulator/simulated_gpu.hpp"
#include "harness/verify/binding.hpp"
#include "properties/cases/operation.hpp"
#include "reference/rans_frequencies.hpp"
#include "reference/rans_matrix.hpp"

namespace assay {
namespace {

constexpr std::size_t kSide = 1024;

/// Symbols as quantized weights have them: a normal distribution over 16 levels.
std::vector<std::uint8_t> normal_symbols(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(7.5, 2.5);
  std::vector<std::uint8_t> symbols(count);
  for (auto& symbol : symbols) {
    symbol = static_cast<std::uint8_t>(std::clamp(std::lround(normal(random)), 0L, 15L));
  }
  return symbols;
}

struct Encoded {
  reference::RansLayout layout;
  std::vector<std::uint8_t> symbols;
  reference::RansMatrix matrix;

  explicit Encoded(const reference::RansLayout& of)
      : layout(of), symbols(normal_symbols(of.M * of.N)), matrix(encode_rans(of, symbols)) {}

  /// Bytes of the ideal coder under each tile's own frequencies.
  double ideal_bytes() const {
    double bits = 0;
    for (std::size_t i = 0; i < layout.tiles(); ++i) {
      const auto tile = layout.tile(i);
      std::vector<std::uint8_t> own;
      for (std::size_t e = 0; e < tile.size(); ++e) {
        own.push_back(symbols[(tile.row + e / tile.columns) * layout.N + tile.column + e % tile.columns]);
      }
      reference::RansFrequencies frequencies;
      std::copy_n(matrix.freq.begin() + static_cast<std::ptrdiff_t>(16 * i), 16, frequencies.begin());
      bits += reference::ideal_bits(reference::count_symbols(own), frequencies);
    }
    return bits / 8;
  }
};

/// Counters: bytes that the streams take, the entropy under the normalised frequencies, and what is over it,
/// less the 4 bytes of each start state, in percent.
void report_size(benchmark::State& state, const Encoded& encoded) {
  const auto bytes = static_cast<double>(encoded.matrix.data.size());
  const double ideal = encoded.ideal_bytes();
  const auto states = static_cast<double>(4 * encoded.matrix.stream_offset.size());
  state.counters["bytes"] = bytes;
  state.counters["entropy"] = ideal;
  state.counters["over_%"] = 100 * (bytes - states - ideal) / ideal;
}

/// Tiles so large that each stream has 4,096 symbols at least.
reference::RansLayout long_streams(std::size_t streams) {
  return {kSide, kSide, streams * 4, kSide, streams};
}

void decode(benchmark::State& state, const reference::RansLayout& layout) {
  const Encoded encoded(layout);
  const auto view = reference::view_of(layout, encoded.matrix);
  std::vector<std::uint8_t> decoded(encoded.symbols.size());
  for (auto _ : state) reference::decode_rans(view, decoded);
  if (decoded != encoded.symbols) state.SkipWithError("decoding is not the inverse");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(encoded.symbols.size()));
  report_size(state, encoded);
}

void launch(benchmark::State& state, const KernelEntry& entry, simulator::Mode mode, std::int64_t streams) {
  properties::Case described{entry.operation, {}, "random", {}, 1};
  const auto& operation = properties::find_operation(entry.operation);
  for (const auto& dimension : operation.declaration().dimensions) {
    const auto asked = entry.requirements.find(dimension.name);
    described.dims[dimension.name] = asked != entry.requirements.end() ? asked->second.one_of.front()
                                     : dimension.is_choice()           ? dimension.choices.front()
                                                                       : 256;
  }
  described.dims["streams"] = streams;
  if (described.dims.contains("batch")) described.dims["batch"] = 16;
  const auto problem = operation.make_problem(described);
  simulator::SimulatedGpu gpu({.mode = mode, .threads = 1, .limits = {}});
  const Binding binding(gpu, gpu.load(entry.kernel_source()), entry, problem);
  for (auto _ : state) {
    if (!gpu.dispatch(binding.dispatch()).clean()) state.SkipWithError("the kernel is not right");
  }
  state.SetItemsProcessed(state.iterations() * 256 * 256);
}

const std::vector<KernelEntry>& kernels() {
  static const auto entries = run::load_manifest(ASSAY_SOURCE_DIR "/kernels/kernels.toml");
  return entries;
}

void register_all() {
  const auto named = [](const std::string& name, std::int64_t streams) {
    return name + "/" + std::to_string(streams) + "_streams";
  };
  for (const std::int64_t streams : {1, 4, 8, 32}) {
    const auto count = static_cast<std::size_t>(streams);
    benchmark::RegisterBenchmark(named("reference_long_streams", streams).c_str(),
                                 [=](benchmark::State& state) { decode(state, long_streams(count)); })
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(named("reference_tile_64x64", streams).c_str(),
                                 [=](benchmark::State& state) {
                                   decode(state, {kSide, kSide, 64, 64, count});
                                 })
        ->Unit(benchmark::kMillisecond);
  }
  for (const auto& entry : kernels()) {
    if (!entry.operation.starts_with("rans_")) continue;
    for (const auto mode : {simulator::Mode::fast, simulator::Mode::checked}) {
      for (const std::int64_t streams : {1, 4, 8, 32}) {
        const std::string name = entry.name + (mode == simulator::Mode::fast ? "/fast" : "/checked");
        benchmark::RegisterBenchmark(named(name, streams).c_str(), [&entry, mode,
                                                                    streams](benchmark::State& state) {
          launch(state, entry, mode, streams);
        })->Unit(benchmark::kMillisecond);
      }
    }
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
