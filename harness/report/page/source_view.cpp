#include "harness/report/page/source_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace assay::report::page {
namespace {

constexpr std::uint32_t kAround = 4;

// What is said of one line, by all notes, and whether one of them is the cause.
Note note_at(const std::vector<Note>& notes, const std::string& file, std::uint32_t line) {
  Note all{{file, line}, "", false};
  for (const Note& note : notes) {
    if (note.place.file != file || note.place.line != line) continue;
    all.cause |= note.cause;
    if (all.words.find(note.words) == std::string::npos)
      all.words += (all.words.empty() ? "" : "; ") + note.words;
  }
  return all;
}

bool near_a_note(const std::vector<Note>& notes, const std::string& file, std::uint32_t line) {
  return std::any_of(notes.begin(), notes.end(), [&](const Note& note) {
    return note.place.file == file && note.place.line != 0 && line + kAround >= note.place.line &&
           line <= note.place.line + kAround;
  });
}

Html line_of(std::uint32_t number, const std::string& text, const Note& note) {
  Html line = tag("span", {{"class", "n"}}, fmt::format("{}", number)) + text;
  if (!note.words.empty()) line += tag("span", {{"class", "tagged"}}, "\u2190 " + note.words);
  const char* name = note.words.empty() ? "l" : note.cause ? "l hot" : "l bar-line";
  return tag("span", {{"class", name}}, line);
}

}  // namespace

Html source_view(const std::vector<Excerpt>& sources, const std::vector<Note>& notes) {
  Html all;
  for (const Excerpt& excerpt : sources) {
    Html lines;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(excerpt.first_line + i);
      if (!near_a_note(notes, excerpt.file, number)) continue;
      if (last != 0 && number != last + 1) lines += tag("span", {{"class", "l faint"}}, "  \u22ee");
      last = number;
      lines += line_of(number, excerpt.lines[i], note_at(notes, excerpt.file, number));
    }
    if (lines.empty()) continue;
    all += tag("p", {{"class", "file"}}, excerpt.file);
    all +=
        tag("pre", {{"tabindex", "0"}, {"role", "region"}, {"aria-label", "Source, " + excerpt.file}}, lines);
  }
  return all;
}

std::vector<Note> notes_of(const device::Fault& fault) {
  std::vector<Note> notes;
  for (const auto& access : fault.accesses) {
    const bool known = access.write.has_value();
    notes.push_back({access.place, known ? (*access.write ? "write" : "read") : access.what});
  }
  if (fault.accesses.empty()) notes.push_back({fault.place, std::string(name_of(verdict_of(fault.kind)))});
  for (const auto& barrier : fault.barriers)
    notes.push_back(
        {barrier.place, barrier.between ? "barrier between them" : "last barrier before both", false});
  return notes;
}

}  // namespace assay::report::page
