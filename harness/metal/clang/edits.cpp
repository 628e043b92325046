#include "harness/metal/clang/edits.hpp"

#include <algorithm>

namespace assay::metal {

clang::CharSourceRange declaration_around(const clang::SourceManager& sources, clang::SourceLocation at,
                                          char close) {
  const auto [file, place] = sources.getDecomposedLoc(sources.getExpansionLoc(at));
  const llvm::StringRef text = sources.getBufferData(file);
  std::size_t begin = text.take_front(place).find_last_of(";{}") + 1;  // 0 of npos
  for (;;) {  // behind lines that are the preprocessor's
    begin = std::min(text.find_first_not_of(" \t\r\n", begin), text.size());
    if (begin >= text.size() || text[begin] != '#') break;
    begin = std::min(text.find('\n', begin), text.size());
  }
  std::size_t end = std::min(text.find(close, place), text.size());
  end = std::min(text.find(';', end), text.size() - 1) + 1;
  const clang::SourceLocation start = sources.getLocForStartOfFile(file);
  return clang::CharSourceRange::getCharRange(start.getLocWithOffset(static_cast<int>(begin)),
                                              start.getLocWithOffset(static_cast<int>(end)));
}

void Edits::replace(const clang::SourceManager& sources, clang::CharSourceRange range,
                    const std::string& words) {
  const auto [file, begin] = sources.getDecomposedLoc(range.getBegin());
  const auto [same, end] = sources.getDecomposedLoc(range.getEnd());
  if (file != sources.getMainFileID() || same != file || end < begin) return;
  const auto gone = sources.getBufferData(file).slice(begin, end);
  replace(begin, end, words + std::string(static_cast<std::size_t>(gone.count('\n')), '\n'));
}

void Edits::replace(std::size_t begin, std::size_t end, const std::string& words) {
  all_[begin] = {words, end};
}

void Edits::insert(std::size_t at, const std::string& words, bool closing) {
  std::string& there = all_.try_emplace(at, Edit{{}, at}).first->second.words;
  closing ? void(there.insert(0, words)) : void(there += words);
}

std::string Edits::applied_to(const std::string& text) const {
  std::string result;
  std::size_t at = 0;
  for (const auto& [begin, edit] : all_) {
    if (begin < at) continue;  // within what goes
    result.append(text, at, begin - at).append(edit.words);
    at = std::max<std::size_t>(edit.end, begin);
  }
  return result.append(text, std::min(at, text.size()));
}

std::size_t Edits::origin_of(std::size_t at) const {
  std::size_t origin = 0, changed = 0;  // how far both texts have been looked at
  for (const auto& [begin, edit] : all_) {
    if (begin < origin) continue;
    if (at < changed + (begin - origin)) break;
    changed += begin - origin + edit.words.size();
    origin = std::max(edit.end, begin);
    if (at < changed) return begin;
  }
  return origin + (at - changed);
}

}  // namespace assay::metal
