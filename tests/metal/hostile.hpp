// Rows of a table of hostile texts: what each tries, and what it gets.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace assay::metal {

struct Hostile {
  const char* tries;
  const char* text;  // kernel k is added, on a line of its own behind it
  const char* gets;  // file and line, and words of the message
};

inline std::string named(const testing::TestParamInfo<Hostile>& info) {
  std::string name;
  bool upper = true;
  for (const char c : std::string(info.param.tries)) {
    if (std::isalnum(static_cast<unsigned char>(c))) name += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = !std::isalnum(static_cast<unsigned char>(c));
  }
  return name;
}

}  // namespace assay::metal
