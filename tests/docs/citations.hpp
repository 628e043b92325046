// Do comments and pages cite what is there? Headings of docs/, sections of the design documents, links.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tests {

/// The pages of docs/, by file name.
struct Pages {
  std::map<std::string, std::vector<std::string>> headings;  ///< in order, as they stand
  /// Of the design documents, "000" and up: first cells of the table under each document's heading.
  std::map<std::string, std::set<std::string>> sections;
};

Pages read_pages(const std::filesystem::path& docs);

/// What does not resolve in a source text or page, one line each:
/// - `docs/PAGE.md`, also with `, "Heading"`, `, "One" and "Other"`, `, fault N` or `#anchor` behind it;
/// - `document 00N, section X`: a row of docs/documents.md, which a text that names documents must name too;
/// - a specification or a numbered section that is not said to be of a document, of Apple's or of a book.
std::vector<std::string> unresolved(std::string_view text, const Pages& pages);

/// Relative links of a Markdown page whose file or anchor does not exist. The page's own folder is `folder`.
std::vector<std::string> dead_links(std::string_view markdown, const std::filesystem::path& folder);

/// The anchor that a heading gets.
std::string anchor_of(std::string_view heading);

std::string read_text(const std::filesystem::path& path);

}  // namespace assay::tests
