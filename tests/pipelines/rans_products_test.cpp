// The table of rANS products in docs/pipelines.md: the kernel that works as document 003 (docs/documents.md)
// draws it, beside those that replace it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "harness/process/pool.hpp"
#include "harness/profile/figure_values.hpp"
#include "harness/profile/profiler.hpp"
#include "tests/docs/citations.hpp"
#include "tests/docs/made_page.hpp"

namespace assay::rans_products_tests {
namespace {

const std::filesystem::path kSource = ASSAY_SOURCE_DIR;
const std::filesystem::path kPage = kSource / "docs/pipelines.md";

/// What is counted of a product, on a problem of one row of tiles.
struct Product {
  const KernelEntry* entry = nullptr;
  profile::Profile counted;

  const Figure& at(const std::string& counter) const { return counted.figures.at(counter); }
  bool multiplies_matrices() const { return at("threadgroup_matrix_operations").low != 0; }
  /// How often each decoded weight is loaded. A kernel that multiplies matrices loads pieces of 8x8, those of
  /// x too: each of these once, into registers.
  Figure loads_of_a_weight() const {
    if (!multiplies_matrices()) return at("reads_of_weights");
    const auto& dims = counted.dims;
    const double n = static_cast<double>(dims.at("N"));
    const double pieces_of_x = static_cast<double>(dims.at("batch")) * n / 64;
    return (at("threadgroup_matrix_loads").low - pieces_of_x) * 64 / (static_cast<double>(dims.at("M")) * n);
  }
};

/// One row of four tiles of 64 columns or eight of 32, eight streams a tile, 16 rows of a batch: enough for
/// every simdgroup of the tiled kernels.
const std::vector<Product>& products() {
  static const auto manifest = assay::read_manifest(kSource / "kernels/kernels.toml");
  static const auto all = [] {
    std::vector<profile::ProfileTask> tasks;
    for (const auto& entry : manifest) {
      if (entry.operation != "rans_gemm") continue;
      auto& task = tasks.emplace_back();
      task.entry = &entry;
      task.wanted = {{"N", 256}, {"batch", 16}};
    }
    profile::profile_all(tasks, process::cores());
    std::vector<Product> counted;
    for (const auto& task : tasks) {
      if (!task.failure.empty()) throw std::runtime_error(task.failure);
      counted.push_back({task.entry, task.result});
    }
    return counted;
  }();
  return all;
}

const Product& named(const std::string& name) {
  for (const auto& one : products()) {
    if (one.entry->name == name) return one;
  }
  throw std::invalid_argument(name + " is no product of rANS weights");
}

std::string table() {
  std::string text =
      "| kernel | tile | lanes that decode | loads of a decoded weight | loads of x | bytes of x for a row "
      "of the batch "
      "| bytes a transaction, x | bytes a transaction, data | matrix operations | threadgroup barriers |\n"
      "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto& one : products()) {
    text += fmt::format("| `{}` | {}x{} |", one.entry->name, one.entry->tile->m, one.entry->tile->n);
    const auto cell = [&](const Figure& figure) { text += fmt::format(" {} |", profile::grouped(figure)); };
    // In a layer all of it is one buffer, so nothing is counted of the streams by themselves.
    const bool layer = !one.counted.figures.contains("loaders_of_data");
    if (layer) {
      text += "  |";
    } else {
      cell(one.at("loaders_of_data"));
    }
    cell(one.loads_of_a_weight());
    cell(one.at("loads_of_x"));
    cell(one.at("loaded_bytes_per_batch_row_of_x"));
    cell(one.at("bytes_per_transaction_of_x"));
    if (layer) {
      text += "  |";
    } else {
      cell(one.at("bytes_per_transaction_of_data"));
    }
    cell(one.at("threadgroup_matrix_operations"));
    cell(one.at("threadgroup_barriers"));
    text += "\n";
  }
  return text;
}

TEST(RansProducts, TableIsWhatCountersGive) {
  const auto wrong = tests::stale(
      kPage, tests::with_table(tests::read_text(kPage), "pipelines_test", "rans", table()), "pipelines_test");
  EXPECT_FALSE(wrong.has_value()) << *wrong;
}

// What the tiled kernels are for.
TEST(RansProducts, TiledOnesDecodeWithAllSimdgroupsAndLoadLess) {
  for (const char* tile : {"", "_128x32"}) {
    const auto& one = named(fmt::format("fused_rans_gemm{}", tile));
    const auto& tiled = named(fmt::format("fused_rans_gemm_tiled{}", tile));
    const double simdgroups = one.entry->threads_per_threadgroup.x / 32.0;
    EXPECT_EQ(tiled.at("loaders_of_data").low, simdgroups * one.at("loaders_of_data").low) << tile;
    EXPECT_EQ(one.loads_of_a_weight().low, 16) << tile << ": once for each row of the batch";
    EXPECT_EQ(tiled.loads_of_a_weight().low, 1) << tile << ": once for all of them";
    EXPECT_GT(one.at("loads_of_x").low, tiled.at("loads_of_x").low) << tile;
    EXPECT_LT(one.at("bytes_per_transaction_of_x").low, tiled.at("bytes_per_transaction_of_x").low) << tile;
    EXPECT_FALSE(one.multiplies_matrices()) << tile;
    EXPECT_TRUE(tiled.multiplies_matrices()) << tile;
  }
}

}  // namespace
}  // namespace assay::rans_products_tests
