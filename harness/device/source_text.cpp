#include "harness/device/source_text.hpp"

#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

namespace assay::device {
namespace {

struct Texts {
  std::mutex lock;
  std::map<std::string, std::vector<std::string>> lines;
};

Texts& texts() {
  static Texts all;
  return all;
}

void remember(const std::string& name, std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const std::lock_guard guard(texts().lock);
  texts().lines[name] = std::move(lines);
}

}  // namespace

void remember_source(const std::filesystem::path& file) {
  std::ifstream in(file);
  remember(file.string(), in);
}

void remember_text(const std::string& name, const std::string& text) {
  std::istringstream in(text);
  remember(name, in);
}

std::string source_line(const SourcePlace& place) {
  const std::lock_guard guard(texts().lock);
  const auto found = texts().lines.find(place.file);
  if (found == texts().lines.end() || place.line == 0 || place.line > found->second.size()) return "";
  const std::string& line = found->second[place.line - 1];
  const auto start = line.find_first_not_of(" \t\r");
  if (start == std::string::npos) return "";
  return line.substr(start, line.find_last_not_of(" \t\r") - start + 1);
}

std::string source_text(const std::string& file) {
  const std::lock_guard guard(texts().lock);
  const auto found = texts().lines.find(file);
  std::string text;
  if (found == texts().lines.end()) return text;
  for (const std::string& line : found->second) text += line + '\n';
  return text;
}

}  // namespace assay::device
