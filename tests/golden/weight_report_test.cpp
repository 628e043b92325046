// The report of a model's weights: every figure stands in the table, and a strange name cannot break its
// lines.
#include "golden/model/weight_report.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace assay::golden {
namespace {

using testing::HasSubstr;
using testing::Not;

WeightReport up_proj() {
  return {.tensor = "model.layers.0.mlp.up_proj.weight",
          .rows = 14336,
          .columns = 4096,
          .type = WeightType::bf16,
          .operation = "gemm_fp4",
          .error = {0.015625, 0.0019, 0.0951},
          .bits_per_weight = 4.125};
}

TEST(WeightReport, TableHasEveryFigure) {
  WeightReport rans = up_proj();
  rans.operation = "rans_gemm";
  rans.entropy = {{3.5, 3.25, 3.375}};
  const WeightReport all[] = {up_proj(), rans};
  const std::string table = report_table(all);
  EXPECT_EQ(
      table,
      "tensor                             weights              operation  max error  RMS error  relative  "
      "bits/weight  entropy  streams\n"
      "model.layers.0.mlp.up_proj.weight  BF16 14,336 x 4,096  gemm_fp4     0.01562     0.0019    9.51 %  "
      "      4.125        -        -\n"
      "model.layers.0.mlp.up_proj.weight  BF16 14,336 x 4,096  rans_gemm    0.01562     0.0019    9.51 %  "
      "      4.125    3.250    3.375\n");
}

TEST(WeightReport, RefusedStandsBelowWithItsReason) {
  WeightReport refused = up_proj();
  refused.refused = "\"m\": tensor \"w\": gemm_fp4: the weight of row 3, column 4 is NaN";
  const WeightReport all[] = {refused};
  EXPECT_EQ(report_table(all), "refused: " + refused.refused + "\n");
  EXPECT_EQ(json_of(refused).at("refused"), refused.refused);
  EXPECT_FALSE(json_of(refused).contains("error"));
}

TEST(WeightReport, StrangeNamesStayInTheirLine) {
  WeightReport strange = up_proj();
  strange.tensor = "a\nb\x1B[31m\xFF";
  const WeightReport all[] = {strange};
  const std::string table = report_table(all);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 2);
  EXPECT_THAT(table, Not(HasSubstr("\x1B")));
  EXPECT_NO_THROW(json_of(strange).dump());
}

TEST(WeightReport, JsonHasEveryFigureExactly) {
  WeightReport rans = up_proj();
  rans.error.rms = 0.1;
  rans.entropy = {{3.5, 3.25, 3.375}};
  EXPECT_EQ(json_of(rans).dump(),
            R"({"tensor":"model.layers.0.mlp.up_proj.weight","rows":14336,"columns":4096,"dtype":"BF16",)"
            R"("operation":"gemm_fp4","error":{"maximum":0.015625,"rms":0.1,"relative":0.0951},)"
            R"("bits_per_weight":4.125,"entropy":{"matrix":3.5,"tiles":3.25,"streams":3.375}})");
}

}  // namespace
}  // namespace assay::golden
