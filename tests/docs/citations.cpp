#include "tests/docs/citations.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace assay::tests {
namespace {

/// Lines outside code blocks.
std::vector<std::string> prose(std::string_view markdown) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(markdown)};
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> headings_of(std::string_view markdown) {
  std::vector<std::string> headings;
  for (const std::string& line : prose(markdown)) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    headings.push_back(line.substr(level + 1));
  }
  return headings;
}

/// As a reader reads it: no line breaks, no marks of comments, no backslashes before quotes.
std::string as_read(std::string_view text) {
  std::string read;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    std::erase(line, '\\');
    const std::size_t begin = line.find_first_not_of(" \t/#<");
    if (begin != std::string::npos) read += line.substr(begin) + " ";
  }
  return read;
}

/// Of every place that the pattern matches.
std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

bool has_fault(const std::vector<std::string>& headings, const std::string& number) {
  return std::any_of(headings.begin(), headings.end(),
                     [&](const std::string& heading) { return heading.starts_with(number + ". "); });
}

void check_pages(const std::string& text, const Pages& pages, std::vector<std::string>& wrong) {
  static const std::regex cited(
      R"(docs/(\w+\.md)(#[\w-]+)?((?:,| and|, and) fault \d+|(?:(?:,| and) "[^"]+")*))");
  static const std::regex fault(R"(fault (\d+))"), heading(R"re("([^"]+)")re");
  for (const auto& match : matches(text, cited)) {
    const auto page = pages.headings.find(match[1]);
    if (page == pages.headings.end()) {
      wrong.push_back("docs/" + match[1].str() + ": there is no such page");
      continue;
    }
    const auto& headings = page->second;
    const auto among = [&](const auto& what) { return std::any_of(headings.begin(), headings.end(), what); };
    const std::string anchor = match[2], rest = match[3];
    if (!anchor.empty() && !among([&](const auto& h) { return "#" + anchor_of(h) == anchor; })) {
      wrong.push_back("docs/" + match[1].str() + anchor + ": there is no such heading");
    }
    for (const auto& number : matches(rest, fault)) {
      if (!has_fault(headings, number[1]))
        wrong.push_back("docs/" + match[1].str() + " has no " + number.str());
    }
    for (const auto& name : matches(rest, heading)) {
      if (!among([&](const auto& h) { return h == name[1].str(); })) {
        wrong.push_back("docs/" + match[1].str() + " has no heading " + name.str());
      }
    }
  }
}

void check_documents(const std::string& text, const Pages& pages, std::vector<std::string>& wrong) {
  static const std::regex cited(R"re([Dd]ocuments? (\d{3})(,? sections? ("[^"]+"|[\d.]*\d))?)re");
  for (const auto& match : matches(text, cited)) {
    const auto document = pages.sections.find(match[1]);
    std::string section = match[3];
    std::erase(section, '"');
    if (document == pages.sections.end() || (!section.empty() && !document->second.contains(section))) {
      wrong.push_back("docs/documents.md does not know " + match.str());
    }
    if (text.find("documents.md") == std::string::npos) {
      wrong.push_back(match.str() + ": say that it is described in docs/documents.md");
    }
  }
}

void check_others(const std::string& text, std::vector<std::string>& wrong) {
  static const std::regex word(R"(\b[Ss]pecification\b|\b[Ss]ections? \d[\d.]*|\bspec\.md)");
  static const std::regex owned(R"((Metal Shading Language |Metal-Shading-Language-)$)");
  static const std::regex sourced(R"(Specification|\bed\.,|[Dd]ocument 00\d)");
  for (const auto& match : matches(text, word)) {
    const auto at = static_cast<std::size_t>(match.position());
    const std::string before =
        text.substr(at - std::min<std::size_t>(at, 100), std::min<std::size_t>(at, 100));
    const bool section = std::tolower(match.str()[1]) == 'e';
    const bool known = std::regex_search(before, section ? sourced : owned);
    if (!known) wrong.push_back("\"" + match.str() + "\" of what? Name the page of docs/ or the publication");
  }
}

}  // namespace

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

Pages read_pages(const std::filesystem::path& docs) {
  Pages pages;
  for (const auto& entry : std::filesystem::directory_iterator(docs)) {
    if (entry.path().extension() != ".md") continue;
    pages.headings[entry.path().filename()] = headings_of(read_text(entry.path()));
  }
  static const std::regex heading(R"(## Document (\d{3}):.*)"), row(R"(\| ([^|]+) \|.*)");
  std::string document;
  for (const std::string& line : prose(read_text(docs / "documents.md"))) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) {
      document = match[1];
    } else if (line.starts_with("## ")) {
      document.clear();
    } else if (!document.empty() && std::regex_match(line, match, row)) {
      pages.sections[document].insert(match[1]);
    }
  }
  return pages;
}

std::vector<std::string> unresolved(std::string_view text, const Pages& pages) {
  const std::string read = as_read(text);
  std::vector<std::string> wrong;
  check_pages(read, pages, wrong);
  check_documents(read, pages, wrong);
  check_others(read, wrong);
  return wrong;
}

std::vector<std::string> dead_links(std::string_view markdown, const std::filesystem::path& folder) {
  static const std::regex link(R"(\]\(([^)#]*)(#[^)]*)?\))");
  std::vector<std::string> dead;
  for (const std::string& line : prose(markdown)) {
    for (const auto& match : matches(line, link)) {
      const std::string file = match[1], anchor = match[2];
      if (file.find("://") != std::string::npos) continue;
      const auto path = folder / file;
      if (!file.empty() && !std::filesystem::exists(path)) {
        dead.push_back(file + anchor + ": there is no such file");
      } else if (!anchor.empty()) {
        const auto headings = headings_of(file.empty() ? std::string(markdown) : read_text(path));
        const auto is_it = [&](const std::string& heading) { return "#" + anchor_of(heading) == anchor; };
        if (std::none_of(headings.begin(), headings.end(), is_it)) {
          dead.push_back(file + anchor + ": there is no such heading");
        }
      }
    }
  }
  return dead;
}

}  // namespace assay::tests
