// What the documents advise is described in docs/documents.md, section by section.
#include "tests/dispatch/rules.hpp"

namespace assay::tests {
namespace {

constexpr std::string_view kTwo = "marlin_gemm_fp4", kFused = "marlin_gemm_fused_fp4",
                           kStriped = "marlin_gemm_fp4_striped", kDecode = "marlin_gemm_fp4_decode",
                           kTriple = "marlin_gemm_fp4_triple", kShallow = "marlin_gemm_fp4_triple_64x64x16",
                           kHybrid = "marlin_gemm_fused_fp4_triple_a", kFusedU4 = "marlin_gemm_fused_u4",
                           kPrefill = "gemm_trellis_packed", kFewRows = "gemm_trellis_packed_decode";

constexpr std::string_view kOneToken =
    "001 (decode, recommendation 3) wants the decode kernel for the same problem, so one of the two "
    "documents must lose. There are 64 threadgroups for 40 cores: all of them run at a time with either "
    "kernel, and the greater number that would fit is of no use.";
constexpr std::string_view kFewTokens =
    "001 ends its decode kernel at 4 rows and says nothing of 5 to 16. The tile has 16 rows, and 002 "
    "(2.1) draws the line there for trellis weights. A tile of 64 rows multiplies 48 that do not exist.";
constexpr std::string_view kFewTiles =
    "What is short is tiles, not room on a core: 64 threadgroups are one or two a core however many would "
    "fit. Slices of K make more of them, at the price of partial sums.";
constexpr std::string_view kManyTiles =
    "256 threadgroups are enough to give every core as many as fit with two buffers, so 000 (9) itself "
    "has two buffers for it. That more of them at a time hide latency, and that a word that is loaded "
    "again comes from a cache, takes a clock to weigh; the simulator counts three times the bytes.";
constexpr std::string_view kSmall =
    "The counts of one such product speak for the document: nothing else asks for the memory that the "
    "fused kernel leaves free. We depart all the same, since small products come in numbers, and 000 (9) "
    "wants the fused kernel for many of them: a core holds more of them at a time. Whoever has a single "
    "one asks for `staged`.";
constexpr std::string_view kLookAhead =
    "No count is in favour of three buffers. They hide latency, which takes a clock; in exchange a core "
    "holds one threadgroup, and two of four simdgroups do all multiplications. `triple` is there for "
    "whoever has measured it.";
constexpr std::string_view kBegin =
    "The document wants it as a baseline to measure against two buffers on a GPU. That has not been done, "
    "and no count speaks for the baseline.";
constexpr std::string_view kShallowTiles =
    "K tiles of 16 double the barriers and halve what a transaction of A brings. What they gain is "
    "overlap, which takes a clock. `shallow` is there for whoever has measured it.";
constexpr std::string_view kShallowSmall =
    "The counts are divided: K tiles of 16 load each word once and spare the simdgroup barriers, the "
    "fused kernel takes least memory. The rule is that of any product with few tiles of little depth "
    "(000, 9). Whoever has a single one asks for `shallow` or `staged`.";
constexpr std::string_view kCached =
    "The rule depends on how many loads hit a cache, which the simulator does not have. Without that, it "
    "loads each word eight times and gains threadgroup memory alone, too little for a third threadgroup. "
    "`hybrid` is there for whoever has measured more than 95 %.";
constexpr std::string_view kTripleFewTiles =
    "With three buffers 24 of 64 threadgroups wait until others have ended. Two slices of K take a third "
    "of the memory and let 120 run at a time.";
constexpr std::string_view kAllShapes =
    "The document says that the kernel takes all shapes, and it does. For few tiles of little depth 000 "
    "(9) has the fused kernel, as in many small products at a time. The counts of a single one speak for "
    "two buffers: ask for `staged`.";

constexpr DispatchRule kRules[] = {
    {"000", "2.3", "The fused kernel where memory decides how many threadgroups a core holds.", Weights::fp4,
     64, 4096, 4096, kFused, "", 8'192},
    {"000", "5.3", "Fused for M of 1 to 64 with N and K of 4,096 to 16,384: a token.", Weights::fp4, 1, 4096,
     4096, kFused, kOneToken},
    {"000", "5.3", "The same: 16 rows.", Weights::fp4, 16, 4096, 4096, kFused, kFewTokens},
    {"000", "5.3", "The same: 64 rows.", Weights::fp4, 64, 4096, 4096, kFused, kFewTiles},
    {"000", "5.3", "The same: 64 rows, N and K at their greatest.", Weights::fp4, 64, 16384, 16384, kFused,
     kManyTiles},
    {"000", "5.3", "Not fused where many threadgroups compete for the cache.", Weights::fp4, 1024, 4096, 4096,
     kTwo, ""},
    {"000", "5.3", "Not fused where K is very small: many tiles.", Weights::fp4, 4096, 4096, 32, kTwo, ""},
    {"000", "5.3", "The same: one tile.", Weights::fp4, 64, 64, 32, kTwo, kSmall},
    {"000", "9", "Two buffers where K is large.", Weights::fp4, 512, 4096, 16384, kTwo, ""},
    {"000", "9", "Two buffers for large batches, which fill the GPU.", Weights::fp4, 4096, 4096, 4096, kTwo,
     ""},
    {"000", "9", "Striped to spread the work and to cut K.", Weights::fp4, 64, 64, 4096, kStriped, ""},
    {"000", "9", "Fused for many small matrices.", Weights::fp4, 64, 64, 64, kFused, ""},
    {"000", "9", "Fused for a batch of 1.", Weights::fp4, 1, 4096, 4096, kFused, kOneToken},
    {"000", "9", "Fused for INT4 weights with zero points.", Weights::u4, 64, 4096, 4096, kFusedU4, ""},
    {"001", "current design", "Two buffers are too few for K up to 128.", Weights::fp4, 4096, 4096, 128,
     kTriple, kLookAhead},
    {"001", "recommended", "Three buffers of 64x64x32 to begin with.", Weights::fp4, 1024, 4096, 4096,
     kTriple, kBegin},
    {"001", "TILE_K = 16", "K tiles of 16 for K below 256: many tiles.", Weights::fp4, 4096, 4096, 240,
     kShallow, kShallowTiles},
    {"001", "TILE_K = 16", "The same: few tiles.", Weights::fp4, 64, 4096, 128, kShallow, kShallowSmall},
    {"001", "TILE_K = 16", "K tiles of 32 for K of 4,096 and more.", Weights::fp4, 4096, 4096, 4096,
     "K tiles of 32", ""},
    {"001", "decode", "A tile of 32 or 16 rows for one token.", Weights::fp4, 1, 4096, 4096, kDecode, ""},
    {"001", "hybrid", "Fused, with three buffers of A, where more threadgroups make up for loads.",
     Weights::fp4, 256, 4096, 4096, kHybrid, kCached},
    {"001", "recommendation 1", "Three buffers as the baseline.", Weights::fp4, 512, 4096, 4096, kTriple,
     kBegin},
    {"001", "recommendation 3", "Decode for M of 1 to 4.", Weights::fp4, 4, 4096, 4096, kDecode, ""},
    {"001", "recommendation 4", "Three buffers for M of 64 to 4,096: the least.", Weights::fp4, 64, 4096,
     4096, kTriple, kTripleFewTiles},
    {"001", "recommendation 4", "The same: the most.", Weights::fp4, 4096, 4096, 4096, kTriple, kLookAhead},
    {"001", "recommendation 5", "The hybrid where more than 95 % of its loads hit a cache.", Weights::fp4,
     1024, 4096, 4096, kHybrid, kCached},
    {"001", "recommendation 5", "Else three buffers.", Weights::fp4, 1024, 16384, 4096, kTriple, kLookAhead},
    {"002", "2.1", "Decode for M up to 16.", Weights::trellis, 16, 4096, 4096, kFewRows, ""},
    {"002", "2.1", "Prefill for more.", Weights::trellis, 17, 4096, 4096, kPrefill, ""},
    {"002", "2.2", "Tiles of 32x128 for decoding.", Weights::trellis, 8, 4096, 4096, kFewRows, ""},
    {"002", "2.2", "Tiles of 64x64 for prefill.", Weights::trellis, 64, 4096, 4096, kPrefill, ""},
    {"002", "5.4", "Not prefill for one token.", Weights::trellis, 1, 4096, 4096, kFewRows, ""},
    {"002", "6.1", "Prefill for M above 16, decode up to it.", Weights::trellis, 512, 4096, 4096, kPrefill,
     ""},
    {"004", "kernel variants", "Two buffers for products of all shapes: a large one.", Weights::fp4, 512,
     4096, 4096, kTwo, ""},
    {"004", "kernel variants", "The same: a small one.", Weights::fp4, 100, 100, 100, kTwo, kAllShapes},
    {"004", "kernel variants", "Striped to reduce over K in parallel.", Weights::fp4, 128, 128, 8192,
     kStriped, ""},
    {"004", "kernel variants", "Fused for least memory.", Weights::fp4, 512, 4096, 4096, kFused, "", 8'192},
    {"004", "kernel variants", "Fused for INT4 with zero points.", Weights::u4, 512, 4096, 4096, kFusedU4,
     ""},
};

}  // namespace

std::span<const DispatchRule> dispatch_rules() { return kRules; }

}  // namespace assay::tests
