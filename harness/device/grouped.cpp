#include "harness/device/grouped.hpp"

#include <fmt/format.h>

namespace assay::device {

std::string grouped(std::uint64_t number) {
  std::string text;
  for (; number >= 1000; number /= 1000) text = fmt::format(",{:03}{}", number % 1000, text);
  return fmt::format("{}{}", number, text);
}

std::string counted(std::uint64_t number, const char* one) {
  return fmt::format("{} {}{}", grouped(number), one, number == 1 ? "" : "s");
}

}  // namespace assay::device
