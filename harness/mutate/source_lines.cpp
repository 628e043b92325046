#include "harness/mutate/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace assay::mutate {
namespace {

using metal::Token;

std::string trimmed(const std::string& line) {
  const auto begin = line.find_first_not_of(" \t\r");
  return begin == line.npos ? "" : line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

// For each significant token of the raw line, the token of the preprocessed line that it is; the longest
// alignment, in which what macros stand for is left over on either side. Of several, one in which that goes
// on as long as it may: a macro that ends in a parenthesis keeps its own.
std::vector<std::size_t> aligned(const std::vector<std::string>& raw, const std::vector<std::string>& made) {
  std::vector<std::vector<std::size_t>> length(raw.size() + 1, std::vector<std::size_t>(made.size() + 1, 0));
  for (std::size_t i = raw.size(); i-- > 0;) {
    for (std::size_t j = made.size(); j-- > 0;) {
      length[i][j] =
          raw[i] == made[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  std::vector<std::size_t> partner(raw.size(), made.size());
  bool in_macro = false;
  for (std::size_t i = 0, j = 0; i < raw.size() && j < made.size();) {
    const bool equal = raw[i] == made[j];
    if (equal && in_macro && length[i][j + 1] == length[i][j]) {
      ++j;
    } else if (equal) {
      in_macro = false;
      partner[i++] = j++;
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      in_macro = true;
      ++i;
    } else {
      in_macro = true;
      ++j;
    }
  }
  return partner;
}

// Blanks in a row as one, and none ahead of what closes: what a fault leaves between two tokens.
std::string tightened(const std::string& line) {
  std::string out;
  for (const char c : line) {
    const bool closes = c == ')' || c == ']' || c == ',' || c == ';';
    if (closes && !out.empty() && out.back() == ' ' && out.find_first_not_of(' ') != out.npos) out.pop_back();
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  }
  return out;
}

// A token of a preprocessed line, and what a mutation makes of it.
struct Made {
  std::string before, after;
};

std::string rendered(const std::string& line, const std::vector<Made>& made) {
  const auto raw = metal::tokenize(line, "").tokens;
  std::vector<std::size_t> significant;
  std::vector<std::string> raw_text, made_text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (!raw[i].significant()) continue;
    significant.push_back(i);
    raw_text.push_back(raw[i].text);
  }
  for (const auto& one : made) made_text.push_back(one.before);
  const auto partner = aligned(raw_text, made_text);
  std::string out;
  std::size_t next_raw = 0, next_made = 0, at = 0;
  const auto space_until = [&](std::size_t token) {
    for (; at < token; ++at) out += raw[at].text;
  };
  while (next_raw < significant.size() || next_made < made.size()) {
    std::size_t raw_end = next_raw;
    while (raw_end < significant.size() && partner[raw_end] == made.size()) ++raw_end;
    const std::size_t made_end = raw_end < significant.size() ? partner[raw_end] : made.size();
    const bool changed = std::any_of(made.begin() + static_cast<std::ptrdiff_t>(next_made),
                                     made.begin() + static_cast<std::ptrdiff_t>(made_end),
                                     [](const Made& one) { return one.before != one.after; });
    if (changed) {
      if (next_raw < raw_end) {
        space_until(significant[next_raw]);
        at = significant[raw_end - 1] + 1;
      }
      for (; next_made < made_end; ++next_made) {
        const bool tight = out.empty() || out.back() == ' ' || out.back() == '(' || out.back() == '[';
        if (!tight && !made[next_made].after.empty()) out += ' ';
        out += made[next_made].after;
      }
    } else {
      if (next_raw < raw_end) space_until(significant[raw_end - 1] + 1);
      next_made = made_end;
    }
    next_raw = raw_end;
    if (next_raw < significant.size()) {
      space_until(significant[next_raw]);
      out += made[next_made++].after;
      at = significant[next_raw++] + 1;
    }
  }
  space_until(raw.size());
  return out;
}

}  // namespace

std::string ChangedLines::diff() const {
  std::string out = fmt::format("{}:{}\n", file, line);
  for (const auto& one : before) out += fmt::format("  - {}\n", one);
  for (const auto& one : after) out += fmt::format("  + {}\n", one);
  return out;
}

SourceLines::SourceLines(const metal::TokenText& text) : text_(text) {
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const Token& token = text.tokens[i];
    if (token.significant()) tokens_[{token.file, token.line}].push_back(i);
  }
}

const std::vector<std::string>& SourceLines::lines_of(std::uint32_t file) {
  const auto [found, fresh] = files_.try_emplace(file);
  if (fresh) {
    std::ifstream in(text_.files[file]);
    for (std::string line; std::getline(in, line);) found->second.push_back(line);
  }
  return found->second;
}

ChangedLines SourceLines::of(const Mutation& mutation) {
  const Token& first = text_.tokens[mutation.first_token()];
  const Token& last = text_.tokens[mutation.edits.back().range.end - 1];
  ChangedLines changed{text_.files[first.file], first.line, {}, {}};
  const auto& lines = lines_of(first.file);
  const std::uint32_t end = last.file == first.file ? std::max(first.line, last.line) : first.line;
  for (std::uint32_t line = first.line; line <= end; ++line) {
    std::vector<Made> made;
    bool touched = false;
    for (const auto i : tokens_[{first.file, line}]) {
      std::string after = text_.tokens[i].text;
      for (const auto& edit : mutation.edits) {
        if (i < edit.range.begin || i >= edit.range.end) continue;
        after = i == edit.range.begin ? edit.with : "";
        touched = true;
      }
      made.push_back({text_.tokens[i].text, after});
    }
    std::string raw = line <= lines.size() ? lines[line - 1] : std::string();
    if (raw.empty()) {  // no such file: the preprocessed tokens have to do
      for (const auto& one : made) raw += one.before + " ";
    }
    if (!touched) continue;
    changed.before.push_back(trimmed(raw));
    if (auto after = tightened(trimmed(rendered(raw, made))); !after.empty())
      changed.after.push_back(std::move(after));
  }
  return changed;
}

}  // namespace assay::mutate
