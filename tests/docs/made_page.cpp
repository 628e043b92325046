#include "tests/docs/made_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace assay::tests {
namespace {

/// The line of `text` that position `at` is in.
std::string_view line_at(std::string_view text, std::size_t at) {
  const auto end = std::min(text.find('\n', at), text.size());
  const auto before = text.substr(0, std::min(at, text.size())).rfind('\n');
  const auto begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, end - begin);
}

}  // namespace

std::string with_table(const std::string& page, std::string_view program, std::string_view name,
                       std::string_view table) {
  const std::string begin = fmt::format("<!-- made by {}: {} -->\n", program, name);
  const auto from = page.find(begin);
  const auto to = page.find("<!-- end -->", from);
  if (from == std::string::npos || to == std::string::npos)
    throw std::runtime_error(fmt::format("no marks of {}", name));
  return fmt::format("{}{}{}", page.substr(0, from + begin.size()), table, page.substr(to));
}

std::optional<std::string> stale(const std::filesystem::path& file, const std::string& anew,
                                 std::string_view program) {
  if (std::getenv("ASSAY_WRITE_DOCS") != nullptr) {
    std::ofstream(file, std::ios::binary) << anew;
    return std::nullopt;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string old{std::istreambuf_iterator<char>(in), {}};
  if (old == anew) return std::nullopt;
  const auto differ = std::mismatch(old.begin(), old.end(), anew.begin(), anew.end());
  const auto at = static_cast<std::size_t>(differ.first - old.begin());
  return fmt::format(
      "{} is stale; write it anew: ASSAY_WRITE_DOCS=1 build/release/tests/{}\n  it has  {}\n  must be {}",
      file.filename().string(), program, line_at(old, at), line_at(anew, at));
}

}  // namespace assay::tests
