// The rANS codec: frequencies, streams, tiles, and what is refused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>

#include "reference/rans_matrix.hpp"
#include "reference/rans_stream.hpp"
#include "tests/rans_symbols.hpp"
#include "tests/reference/independent_vectors.hpp"

namespace assay::reference {
namespace {

using tests::Spread;

RansCounts counts_of(std::initializer_list<std::uint64_t> some) {
  RansCounts counts{};
  std::copy(some.begin(), some.end(), counts.begin());
  return counts;
}

TEST(RansFrequencies, OneSymbolOwnsAllAndRareOnesKeepOne) {
  EXPECT_EQ(normalise_frequencies(counts_of({0, 0, 7}))[2], 4096);
  const auto rare = normalise_frequencies(counts_of({1, 1'000'000, 1, 0}));
  EXPECT_EQ(rare[0], 1);
  EXPECT_EQ(rare[1], 4094);
  EXPECT_EQ(rare[2], 1);
  EXPECT_EQ(rare[3], 0);
}

TEST(RansFrequencies, RefusesWhatHasNoFrequencies) {
  EXPECT_THROW(normalise_frequencies({}), std::invalid_argument);
  EXPECT_THROW(normalise_frequencies(counts_of({std::uint64_t{1} << 32})), std::invalid_argument);
  EXPECT_THROW(count_symbols(std::vector<std::uint8_t>{16}), std::invalid_argument);
}

// Any counts: the sum, presence, and no unit that would be worth more elsewhere (what makes them the best).
RC_GTEST_PROP(RansFrequenciesProperty, SumTo4096KeepEveryPresentSymbolAndCannotBeImproved, ()) {
  RansCounts counts{};
  for (auto& count : counts) {
    const auto bits = *rc::gen::inRange(0, 33);
    count = *rc::gen::inRange<std::uint64_t>(0, bits == 0 ? 1 : std::uint64_t{1} << bits);
  }
  counts[3] = std::max<std::uint64_t>(counts[3], 1);
  const auto f = normalise_frequencies(counts);
  RC_ASSERT(frequency_sum(f) == 4096U);
  for (std::size_t s = 0; s < kRansSymbols; ++s) RC_ASSERT((f[s] > 0) == (counts[s] > 0));
  const double bits = ideal_bits(counts, f);
  for (std::size_t from = 0; from < kRansSymbols; ++from) {
    for (std::size_t to = 0; to < kRansSymbols; ++to) {
      if (from == to || f[from] < 2 || f[to] == 0) continue;
      auto moved = f;
      --moved[from];
      ++moved[to];
      // Gains are compared to a quarter of a percent.
      RC_ASSERT(ideal_bits(counts, moved) >= bits * (1 - 2e-4) - 1e-6);
    }
  }
}

/// Streams of one tile and back.
bool survives(const std::vector<std::uint8_t>& symbols, std::size_t streams) {
  const RansFrequencies frequencies = normalise_frequencies(count_symbols(symbols));
  std::vector<std::vector<std::uint8_t>> encoded;
  for (std::size_t s = 0; s < streams; ++s)
    encoded.push_back(encode_stream(symbols, s, streams, frequencies));
  const std::vector<std::span<const std::uint8_t>> spans(encoded.begin(), encoded.end());
  std::vector<std::uint8_t> decoded(symbols.size(), 99);
  return decode_streams(RansTable(frequencies), spans, decoded) && decoded == symbols;
}

// 10,000 tiles: each spread of symbols at each number of streams, with fewer symbols than streams among them.
TEST(RansStream, TenThousandTilesSurvive) {
  std::mt19937 random(1);
  std::size_t tried = 0, empty_streams = 0;
  const std::vector<std::size_t> stream_counts = {1, 4, 8, 32, 3};
  while (tried < 10'000) {
    for (const Spread spread : tests::kSpreads) {
      for (const std::size_t streams : stream_counts) {
        const std::size_t size = tried % 3 == 0 ? 1 + random() % 40 : 1 + random() % 700;
        const auto symbols = tests::draw_symbols(spread, size, random);
        ASSERT_TRUE(survives(symbols, streams)) << "tile " << tried << " of " << size << " in " << streams;
        empty_streams += size < streams ? 1 : 0;
        ++tried;
      }
    }
  }
  EXPECT_GT(empty_streams, 100U);
}

TEST(RansStream, AnEmptyStreamIsItsStateAndNothingElse) {
  const RansFrequencies frequencies = normalise_frequencies(counts_of({1, 1}));
  const std::vector<std::uint8_t> none;
  EXPECT_EQ(encode_stream(none, 5, 8, frequencies), (std::vector<std::uint8_t>{0, 0, 0x80, 0}));
}

TEST(RansStream, RefusesASymbolWithoutFrequencyAndFrequenciesThatDoNotSum) {
  const std::vector<std::uint8_t> symbols = {0, 1, 2};
  RansFrequencies frequencies{};
  frequencies[0] = 4095;
  EXPECT_THROW(encode_stream(symbols, 0, 1, frequencies), std::invalid_argument);
  EXPECT_THROW(RansTable{frequencies}, std::invalid_argument);
  frequencies[1] = 1;
  EXPECT_THROW(encode_stream(symbols, 0, 1, frequencies), std::invalid_argument);
}

// Within 0.5% and 4 bytes a stream of the entropy, from 4,096 symbols a stream on.
TEST(RansStream, TakesNoMoreThanTheEntropy) {
  std::mt19937 random(2);
  for (const Spread spread : tests::kSpreads) {
    for (const std::size_t streams : {std::size_t{1}, std::size_t{4}, std::size_t{8}, std::size_t{32}}) {
      const auto symbols = tests::draw_symbols(spread, 4096 * streams + streams / 2, random);
      const RansCounts counts = count_symbols(symbols);
      const RansFrequencies frequencies = normalise_frequencies(counts);
      std::size_t bytes = 0;
      for (std::size_t s = 0; s < streams; ++s)
        bytes += encode_stream(symbols, s, streams, frequencies).size();
      const double entropy = ideal_bits(counts, frequencies) / 8;
      EXPECT_LE(static_cast<double>(bytes), 1.005 * entropy + 4.0 * static_cast<double>(streams))
          << static_cast<int>(spread) << " in " << streams;
    }
  }
}

/// A matrix that is right and owns its tensors.
struct Matrix {
  RansLayout layout{70, 100, 64, 64, 8};
  std::vector<std::uint8_t> symbols;
  RansMatrix encoded;

  explicit Matrix(Spread spread = Spread::skewed, std::uint32_t seed = 3) {
    std::mt19937 random(seed);
    symbols = tests::draw_symbols(spread, layout.M * layout.N, random);
    encoded = encode_rans(layout, symbols);
  }
  RansView view() const { return view_of(layout, encoded); }
};

RC_GTEST_PROP(RansMatrixProperty, DecodingIsTheInverseForAnyLayout, (std::uint32_t seed)) {
  const auto size = [](std::size_t to) { return *rc::gen::inRange<std::size_t>(1, to); };
  const RansLayout layout = {size(50), size(50), size(60), size(60), size(40)};
  std::mt19937 random(seed);
  const auto spread = *rc::gen::elementOf(tests::kSpreads);
  const auto symbols = tests::draw_symbols(spread, layout.M * layout.N, random);
  const RansMatrix encoded = encode_rans(layout, symbols);
  RC_ASSERT(decode_rans(view_of(layout, encoded)) == symbols);
  RC_ASSERT(rans_checksums(layout, symbols) == encoded.checksums);
}

// Frequencies that have nothing to do with the symbols, but for those that occur.
TEST(RansMatrix, DecodesUnderAnyFrequenciesThatItsSymbolsAllow) {
  Matrix matrix;
  std::mt19937 random(6);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint16_t> freq(matrix.encoded.freq.size(), 1);
    for (std::size_t tile = 0; tile < matrix.layout.tiles(); ++tile) {
      std::uint32_t left = kRansSlots - kRansSymbols;
      for (int part = 0; part < 4; ++part) {
        const std::uint32_t some = part == 3 ? left : random() % (left + 1);
        freq[16 * tile + random() % 16] += static_cast<std::uint16_t>(some);
        left -= some;
      }
    }
    matrix.encoded = encode_rans(matrix.layout, matrix.symbols, freq);
    ASSERT_EQ(matrix.encoded.freq, freq);
    ASSERT_EQ(decode_rans(matrix.view()), matrix.symbols);
  }
}

TEST(RansMatrix, RefusesFrequenciesThatDoNotFit) {
  const Matrix matrix;
  std::vector<std::uint16_t> freq = matrix.encoded.freq;
  freq.pop_back();
  EXPECT_THROW(encode_rans(matrix.layout, matrix.symbols, freq), std::invalid_argument);
  freq = matrix.encoded.freq;
  ++freq[5];
  EXPECT_THROW(encode_rans(matrix.layout, matrix.symbols, freq), std::invalid_argument);
  std::fill_n(freq.begin(), 16, std::uint16_t{0});
  freq[matrix.symbols[0] ^ 1] = kRansSlots;  // the first symbol has none
  EXPECT_THROW(encode_rans(matrix.layout, matrix.symbols, freq), std::invalid_argument);
}

TEST(RansMatrix, AgreesWithIndependentVectors) {
  for (const auto& path : tests::independent_vectors("rans_")) {
    SCOPED_TRACE(path);
    const golden::Dataset vectors = golden::read_safetensors(path);
    const RansLayout layout = {tests::parameter(vectors, "M"), tests::parameter(vectors, "N"),
                               tests::parameter(vectors, "tile_rows"), tests::parameter(vectors, "tile_cols"),
                               tests::parameter(vectors, "streams")};
    const auto symbols = tests::elements<std::uint8_t>(vectors, "symbols", DType::u8);
    const auto freq = tests::elements<std::uint16_t>(vectors, "freq", DType::u16);
    const auto offsets = tests::elements<std::uint32_t>(vectors, "stream_offset", DType::u32);
    const auto data = tests::elements<std::uint8_t>(vectors, "data", DType::u8);
    const auto checksums = rans_checksums(layout, symbols);  // the vectors have none
    const RansView view = {layout,    freq,
                           offsets,   tests::elements<std::uint32_t>(vectors, "n_symbols", DType::u32),
                           checksums, data};
    const auto decoded = decode_rans(view);
    ASSERT_TRUE(std::equal(decoded.begin(), decoded.end(), symbols.begin(), symbols.end()));

    // Under the vectors' frequencies the streams are the same to the byte.
    for (std::size_t i = 0; i < layout.tiles(); ++i) {
      const RansLayout::Tile tile = layout.tile(i);
      std::vector<std::uint8_t> own;
      for (std::size_t e = 0; e < tile.size(); ++e) {
        own.push_back(symbols[(tile.row + e / tile.columns) * layout.N + tile.column + e % tile.columns]);
      }
      RansFrequencies frequencies;
      std::copy_n(freq.begin() + static_cast<std::ptrdiff_t>(16 * i), 16, frequencies.begin());
      for (std::size_t s = 0; s < layout.streams; ++s) {
        const auto stream = encode_stream(own, s, layout.streams, frequencies);
        const std::size_t at = offsets[i * layout.streams + s];
        ASSERT_LE(at + stream.size(), data.size());
        ASSERT_TRUE(std::equal(stream.begin(), stream.end(), data.begin() + static_cast<std::ptrdiff_t>(at)))
            << "tile " << i << " stream " << s;
      }
    }
  }
}

/// Where a tile does not end in the state it must, or not with the last byte.
bool ends_as_it_must(const Matrix& matrix, std::size_t tile) {
  const RansView view = matrix.view();
  std::vector<std::span<const std::uint8_t>> streams;
  for (std::size_t s = 0; s < 8; ++s) {
    const std::size_t i = 8 * tile + s;
    const std::size_t end = i + 1 < view.stream_offset.size() ? view.stream_offset[i + 1] : view.data.size();
    streams.push_back(view.data.subspan(view.stream_offset[i], end - view.stream_offset[i]));
  }
  std::vector<std::uint8_t> symbols(view.n_symbols[tile]);
  const RansTable table(view.freq.subspan(16 * tile).first<16>());
  return decode_streams(table, streams, symbols);
}

// Why there are checksums: with equal frequencies the end state lets flipped bits pass, as other symbols.
TEST(RansIntegrity, TheEndStateAloneLetsFlippedBitsPassWhereFrequenciesArePowersOfTwo) {
  Matrix matrix;
  for (std::size_t i = 0; i < matrix.symbols.size(); ++i) {  // 256 of each symbol in the first tile
    matrix.symbols[i] = static_cast<std::uint8_t>(i % matrix.layout.N % 16);
  }
  matrix.encoded = encode_rans(matrix.layout, matrix.symbols);
  const std::size_t at = matrix.encoded.stream_offset[2] + 20;
  matrix.encoded.data[at] ^= 0x10;
  EXPECT_TRUE(ends_as_it_must(matrix, 0));
  EXPECT_THROW(decode_rans(matrix.view()), std::invalid_argument);
}

// Every single bit of data and of the frequencies, of each spread: refused, or decoded to the same symbols.
TEST(RansIntegrity, NoFlippedBitDecodesToOtherSymbols) {
  for (const Spread spread : tests::kSpreads) {
    Matrix matrix(spread, 5);
    matrix.layout = {3, 17, 2, 16, 4};
    matrix.symbols.resize(3 * 17);
    matrix.encoded = encode_rans(matrix.layout, matrix.symbols);
    const auto expect_refused = [&](const char* field, auto& values, std::size_t bit) {
      const std::size_t width = 8 * sizeof(values[0]);
      auto& value = values[bit / width];
      using Value = std::remove_reference_t<decltype(value)>;
      value = static_cast<Value>(value ^ (Value{1} << bit % width));
      try {
        EXPECT_EQ(decode_rans(matrix.view()), matrix.symbols) << field << " bit " << bit;
      } catch (const std::invalid_argument&) {
      }
      value = static_cast<Value>(value ^ (Value{1} << bit % width));
    };
    const auto expect_all_refused = [&](const char* field, auto& values) {
      for (std::size_t bit = 0; bit < values.size() * 8 * sizeof(values[0]); ++bit)
        expect_refused(field, values, bit);
    };
    expect_all_refused("data", matrix.encoded.data);
    expect_all_refused("freq", matrix.encoded.freq);
    expect_all_refused("stream_offset", matrix.encoded.stream_offset);
    expect_all_refused("n_symbols", matrix.encoded.n_symbols);
    expect_all_refused("checksums", matrix.encoded.checksums);
  }
}

// A unit of frequency moved between two symbols: the sum is right still, the symbols are not.
TEST(RansIntegrity, FrequenciesThatSumButAreOthersAreRefused) {
  Matrix matrix;
  auto* freq = matrix.encoded.freq.data();
  const auto largest = static_cast<std::size_t>(std::max_element(freq, freq + 16) - freq);
  --freq[largest];
  ++freq[largest == 15 ? 14 : largest + 1];
  EXPECT_NO_THROW(check_rans(matrix.view()));
  EXPECT_THROW(decode_rans(matrix.view()), std::invalid_argument);
  EXPECT_FALSE(decode_sound_tiles(matrix.view()).sound[0]);
  EXPECT_TRUE(decode_sound_tiles(matrix.view()).sound[1]);
}

struct RansDefect {
  std::string field;
  std::function<void(Matrix&)> make;
};

TEST(RansMatrix, RefusesEachDefectAndNamesTheField) {
  const std::vector<RansDefect> defects = {
      {"M", [](Matrix& m) { m.layout.M = 0; }},
      {"tile_rows", [](Matrix& m) { m.layout.tile_rows = 0; }},
      {"streams", [](Matrix& m) { m.layout.streams = 0; }},
      {"symbols", [](Matrix& m) { m.layout.M = m.layout.N = std::size_t{1} << 33; }},
      {"stream_offset", [](Matrix& m) { m.layout.streams = ~std::size_t{0}; }},
      {"freq", [](Matrix& m) { m.encoded.freq.pop_back(); }},
      {"stream_offset", [](Matrix& m) { m.encoded.stream_offset.pop_back(); }},
      {"n_symbols", [](Matrix& m) { m.encoded.n_symbols.push_back(0); }},
      {"checksums", [](Matrix& m) { m.encoded.checksums.pop_back(); }},
      {"freq", [](Matrix& m) { ++m.encoded.freq[17]; }},
      {"freq", [](Matrix& m) { std::fill_n(m.encoded.freq.begin(), 16, std::uint16_t{0}); }},
      {"freq", [](Matrix& m) { std::fill_n(m.encoded.freq.begin(), 16, std::uint16_t{0xFFFF}); }},
      {"n_symbols", [](Matrix& m) { ++m.encoded.n_symbols[3]; }},
      {"n_symbols", [](Matrix& m) { m.encoded.n_symbols[0] = 0xFFFFFFFF; }},
      {"stream_offset", [](Matrix& m) { m.encoded.stream_offset[31] = 0xFFFFFFFF; }},
      {"stream_offset", [](Matrix& m) { std::swap(m.encoded.stream_offset[4], m.encoded.stream_offset[9]); }},
      {"stream_offset", [](Matrix& m) { m.encoded.stream_offset[5] = m.encoded.stream_offset[6]; }},
      {"stream_offset", [](Matrix& m) { m.encoded.data.resize(m.encoded.data.size() / 2); }},
      {"data", [](Matrix& m) { m.encoded.data.pop_back(); }},
      {"data", [](Matrix& m) { m.encoded.data.push_back(0); }},
      {"data", [](Matrix& m) { m.encoded.data[m.encoded.stream_offset[7] + 3] = 0; }},
      {"data", [](Matrix& m) { ++m.encoded.stream_offset[12]; }},
      {"checksums", [](Matrix& m) { m.encoded.checksums[11] ^= 1; }},
  };
  EXPECT_NO_THROW(decode_rans(Matrix().view()));
  for (std::size_t i = 0; i < defects.size(); ++i) {
    Matrix matrix;
    defects[i].make(matrix);
    try {
      decode_rans(matrix.view());
      ADD_FAILURE() << "defect " << i << " of " << defects[i].field << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).find(defects[i].field + ":"), 0U) << i << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace assay::reference
