// Conformance: what happens to a kernel's text before it is Metal, and what host and kernel both read.
#include <algorithm>

#include "tests/metal/conformance.hpp"

#define CALENDAR_HOST
#include "tests/metal/sources/conformance/calendar.h"
#include "tests/metal/sources/conformance/calendar_arguments.h"

namespace assay::metal {
namespace {

class ConformanceOfText : public BothModes {};
ASSAY_BOTH_MODES(ConformanceOfText);

TEST_P(ConformanceOfText, HeadersMacrosAndPragmas) {
  const auto bytes = whole_numbers<int>(200, 0, 40, 3);
  std::vector<week_record> weeks(9);
  for (std::size_t w = 0; w < weeks.size(); ++w) {
    const Half wet = static_cast<Half>(w), dry = static_cast<Half>(0.5 * double(w));
    std::memcpy(&weeks[w].sky.parts.wet, &wet, 2);
    std::memcpy(&weeks[w].sky.parts.dry, &dry, 2);
    for (std::size_t day = 0; day < CALENDAR_DAYS; ++day) {
      weeks[w].visitors[day] = static_cast<std::uint8_t>(200 + bytes[7 * w + day]);
      weeks[w].degrees[day] = static_cast<std::int8_t>(bytes[100 + 7 * w + day] - 20);
    }
  }
  const calendar_arguments arguments{1, 2, 3};
  auto kernel = conformance_kernel("preprocessing", "count_visitors");
  kernel.define("__cpp_variable_templates", "201304")
      .include(source_path("conformance/search"))
      .buffer(0, weeks)
      .value(1, arguments);
  kernel.buffer(2, std::vector<float>(32, -1)).grid({1, 1, 1}, {4, 1, 1});

  std::vector<float> expected(32, -1);
  const int marks[3] = {31, 4, 9};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& week = weeks[1 + 2 * i];
    const double w = 1 + 2 * double(i);
    int all = 0, weekend = 0, pairs = 0, warmest = -273;
    for (int a = 0; a < 7; ++a) {
      all += week.visitors[a];
      if (a >= 5) weekend += week.visitors[a];
      warmest = std::max<int>(warmest, week.degrees[a]);
      for (int b = 0; b < a; ++b) {
        const int ahead = week.visitors[a] - week.visitors[b];
        pairs += ahead >= 0 && ahead < 3;
      }
    }
    const double stripe = double((i * 5 + 1) % 3);
    const int whole = (all + 15) / 16 * 16;
    const std::vector<double> row = {double(all),
                                     double(weekend),
                                     double(pairs),
                                     w + 4 * (0.5 * w + 0.25) + marks[i],
                                     double(std::min(21, int(week.degrees[0] * 1.5))),
                                     double(whole),
                                     double(warmest),
                                     stripe / 4 + 5};
    std::copy(row.begin(), row.end(), expected.begin() + std::ptrdiff_t(8 * i));
  }
  EXPECT_EQ(run_clean(kernel).values<float>(2), expected);
}

}  // namespace
}  // namespace assay::metal
