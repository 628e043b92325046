// The columns of docs/pipelines.md. What a counter counts is in docs/claims.md, "What the counters mean".
#include <map>

#include "tests/pipelines/figures.hpp"

namespace assay::tests {
namespace {

constexpr std::string_view kTables[] = {"memory",   "room",    "parts",    "intensity",
                                        "barriers", "traffic", "registers"};

const std::map<std::string_view, std::vector<Column>> kColumns = {
    {"memory",
     {{.key = "stages",
       .title = "buffers",
       .measured = {"threadgroup_bytes_of_A_tiles / bytes_per_k_tile_of_A",
                    "threadgroup_bytes_of_A_tile / bytes_per_k_tile_of_A"},
       .also = {"threadgroup_bytes / threadgroup_bytes_stored_per_k_tile"}},
      {.key = "bytes",
       .title = "threadgroup bytes",
       .measured = {"threadgroup_bytes"},
       .four_stages = "threadgroup_bytes * 4 / 3"}}},
    {"room",
     {{.key = "threadgroups",
       .title = "threadgroups a core",
       .measured = {"occupancy"},
       .four_stages = "floor(32768 / (threadgroup_bytes * 4 / 3))"},
      {.key = "share",
       .title = "% of a core's memory",
       .measured = {"100 * threadgroup_bytes / 32768"},
       .four_stages = "100 * threadgroup_bytes * 4 / 3 / 32768"},
      {.key = "left",
       .title = "bytes left beside one threadgroup",
       .measured = {"32768 - threadgroup_bytes"},
       .four_stages = "32768 - threadgroup_bytes * 4 / 3"}}},
    {"parts",
     {{.key = "a_tile",
       .title = "one tile of A",
       .measured = {"threadgroup_bytes_of_A_tiles / {stages}", "threadgroup_bytes_of_A_tile"}},
      {.key = "a_tiles",
       .title = "all tiles of A",
       .measured = {"threadgroup_bytes_of_A_tiles", "threadgroup_bytes_of_A_tile"}},
      {.key = "b_tile",
       .title = "one tile of B",
       .measured = {"threadgroup_bytes_of_B_tiles / {stages}", "threadgroup_bytes_of_B_tile"}},
      {.key = "b_staging", .title = "stagings of B", .measured = {"threadgroup_bytes_of_B_staging"}},
      {.key = "buffer",
       .title = "one buffer, A and B",
       .measured = {"(threadgroup_bytes_of_A_tiles + threadgroup_bytes_of_B_tiles) / {stages}",
                    "threadgroup_bytes_of_A_tile + threadgroup_bytes_of_B_tile"},
       .also = {"threadgroup_bytes / {stages}"},
       .four_stages = "threadgroup_bytes / 3"}}},
    {"intensity",
     {{.key = "multiply_adds",
       .title = "multiply-adds a K tile",
       .measured = {"512 * threadgroup_matrix_operations_per_k_tile"}},
      {.key = "element_once",
       .title = "an element, each loaded once",
       .measured = {"512 * threadgroup_matrix_operations_per_k_tile / (bytes_per_k_tile_of_A / 2 + 2 * "
                    "bytes_per_k_tile_of_B)"}},
      {.key = "element_loaded",
       .title = "an element, as often as it is loaded",
       .measured = {"512 * threadgroup_matrix_operations_per_k_tile / (loaded_bytes_per_k_tile_of_A / 2 + "
                    "2 * loaded_bytes_per_k_tile_of_B)"}},
      {.key = "byte_once",
       .title = "a byte, each loaded once",
       .measured = {"512 * threadgroup_matrix_operations_per_k_tile / (bytes_per_k_tile_of_A + "
                    "bytes_per_k_tile_of_B + bytes_per_k_tile_of_scales)"}},
      {.key = "byte_loaded",
       .title = "a byte, as often as it is loaded",
       .measured = {"512 * threadgroup_matrix_operations_per_k_tile / (loaded_bytes_per_k_tile_of_A + "
                    "loaded_bytes_per_k_tile_of_B + loaded_bytes_per_k_tile_of_scales)"}},
      {.key = "word_loads", .title = "loads of a packed word", .measured = {"loads_of_B"}}}},
    {"barriers",
     {{.key = "barriers", .title = "threadgroup barriers", .measured = {"threadgroup_barriers_per_k_tile"}},
      {.key = "barriers_outside",
       .title = "outside the loop",
       .measured = {"threadgroup_barriers_outside_k"}},
      {.key = "simdgroup_barriers",
       .title = "simdgroup barriers",
       .measured = {"simdgroup_barriers_per_k_tile"}},
      {.key = "operations",
       .title = "matrix operations of a simdgroup",
       .measured = {"matrix_operations_per_k_tile"}},
      {.key = "matrix_loads",
       .title = "matrix loads of a simdgroup",
       .measured = {"matrix_loads_per_k_tile"}},
      {.key = "multiplying",
       .title = "simdgroups that multiply",
       .measured = {"threadgroup_matrix_operations_per_k_tile / matrix_operations_per_k_tile"}}}},
    {"traffic",
     {{.key = "a_once", .title = "bytes of A", .measured = {"bytes_per_k_tile_of_A"}},
      {.key = "b_once", .title = "of packed B", .measured = {"bytes_per_k_tile_of_B"}},
      {.key = "scales_once", .title = "of scales", .measured = {"bytes_per_k_tile_of_scales"}},
      {.key = "bytes_once",
       .title = "in all, each once",
       .measured = {"bytes_per_k_tile_of_A + bytes_per_k_tile_of_B + bytes_per_k_tile_of_scales"}},
      {.key = "bytes_loaded",
       .title = "in all, as often as loaded",
       .measured = {"loaded_bytes_per_k_tile_of_A + loaded_bytes_per_k_tile_of_B + "
                    "loaded_bytes_per_k_tile_of_scales"}},
      {.key = "bytes_stored",
       .title = "bytes into threadgroup memory",
       .measured = {"threadgroup_bytes_stored_per_k_tile"}}}},
    {"registers",
     {{.key = "sums",
       .title = "sums, counted",
       .measured = {"matrix_operations_per_k_tile / (tile_k / 8)"},
       .also = {"matrix_operations_per_k_tile / 4"}},
      {.key = "sums_declared", .title = "sums, declared", .measured = {}},
      {.key = "fragments_declared", .title = "fragments, declared", .measured = {}},
      {.key = "matrix_bytes", .title = "bytes of a simdgroup", .measured = {}},
      {.key = "lane_words", .title = "32-bit words a lane, if spread evenly", .measured = {}}}},
};

}  // namespace

std::span<const std::string_view> tables() { return kTables; }

std::span<const Column> columns_of(std::string_view table) { return kColumns.at(table); }

}  // namespace assay::tests
