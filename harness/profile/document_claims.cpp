#include "harness/profile/document_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/verify/toml_fields.hpp"

namespace assay::profile {
namespace {

std::string text_of(TomlFields& fields, std::string_view key) {
  const toml::node* node = fields.find(key);
  return node == nullptr ? "" : fields.string(key, *node);
}

Expression expression_of(TomlFields& fields, std::string_view key, const toml::node& node) {
  try {
    return Expression(fields.string(key, node));
  } catch (const ExpressionError& error) {
    fields.fail(key, &node, error.what());
  }
}

void read_counted(TomlFields& fields, DocumentFigure& figure) {
  figure.kernel = fields.string("kernel", fields.require("kernel", "the kernel that is measured"));
  figure.against = text_of(fields, "against");
  const toml::node& measured = fields.require(
      "measured", "arithmetic over counters of the kernel; or else the field computed or unmeasurable");
  figure.measured = expression_of(fields, "measured", measured);
  const auto& names = figure.measured.names();
  const bool compares =
      std::any_of(names.begin(), names.end(), [](const auto& name) { return name.starts_with("against_"); });
  if (compares && figure.against.empty())
    fields.fail("measured", &measured,
                "uses against.NAME; add the field against, which names the other kernel");
  if (!compares && !figure.against.empty())
    fields.fail("against", fields.find("against"), "is not used: measured has no against.NAME; leave it out");
}

/// Whether the arithmetic is a number and nothing else, signed or in parentheses.
bool is_number(const Expression& expression) {
  return expression.names().empty() && expression.text().find_first_of("*/%,") == std::string::npos &&
         expression.text().find_first_of("+-", 1) == std::string::npos;
}

/// The one of measured, computed and unmeasurable that the figure has.
void read_source(TomlFields& fields, DocumentFigure& figure) {
  const toml::node* computed = fields.find("computed");
  const toml::node* unmeasurable = fields.find("unmeasurable");
  if (computed == nullptr && unmeasurable == nullptr) return read_counted(fields, figure);
  for (const char* other : {"kernel", "measured", "against", "at"}) {
    if (fields.has(other))
      fields.fail(other, fields.find(other), "belongs to a figure that is measured; leave it out");
  }
  if (computed != nullptr && unmeasurable != nullptr)
    fields.fail("unmeasurable", unmeasurable, "and computed cannot both be there; leave one out");
  if (unmeasurable != nullptr) {
    figure.source = Source::nowhere;
    figure.unmeasurable = fields.string("unmeasurable", *unmeasurable);
    if (!figure.reason.empty())
      fields.fail("reason", fields.find("reason"),
                  "says why a figure differs, but this one is not measured; leave it out");
    return;
  }
  figure.source = Source::computed;
  figure.measured = expression_of(fields, "computed", *computed);
  if (is_number(figure.measured))
    fields.fail("computed", computed,
                "is a single number, which only repeats what the document says; write arithmetic");
}

DocumentFigure read_figure(const toml::table& table, const std::filesystem::path& file) {
  TomlFields fields(table, file, "figure.");
  DocumentFigure figure;
  figure.line = table.source().begin.line;
  figure.section = fields.string("section", fields.require("section", "where the document says it"));
  figure.of = fields.string("of", fields.require("of", "what the figure is of"));
  figure.unit = text_of(fields, "unit");
  figure.reason = text_of(fields, "reason");
  figure.note = text_of(fields, "note");
  const toml::node& says = fields.require("says", "the document's number, or [least, most]");
  if (const toml::array* range = says.as_array()) {
    if (range->size() != 2) fields.fail("says", &says, "is not a pair [least, most]");
    figure.says = {fields.number("says", (*range)[0]), fields.number("says", (*range)[1])};
    if (figure.says.low > figure.says.high)
      fields.fail("says", &says, "has the larger number first; write [least, most]");
  } else {
    figure.says = fields.number("says", says);
  }
  if (const toml::node* within = fields.find("within")) figure.within = fields.number("within", *within, 0);
  auto at = fields.table("at");
  at.each([&](const std::string& name, const toml::node& node) {
    figure.at[name] = at.integer(name, node, 1, std::int64_t{1} << 20);
  });
  read_source(fields, figure);
  fields.finish();
  return figure;
}

const toml::table& as_table(TomlFields& fields, std::string_view key, const toml::node& node) {
  if (!node.is_table())
    fields.fail(key, &node, "is not a list of tables; write [[" + std::string(key) + "]]");
  return *node.as_table();
}

std::map<std::string, std::string> read_texts(TomlFields& fields, std::string_view key) {
  std::map<std::string, std::string> texts;
  auto own = fields.table(key);
  own.each([&](const std::string& name, const toml::node& node) { texts[name] = own.string(name, node); });
  return texts;
}

/// Throws where a key that a figure has is not one of `texts`; remembers that it is used.
void check_key(const DocumentClaims& claims, const DocumentFigure& figure, const std::string& field,
               const std::string& key, const std::map<std::string, std::string>& texts,
               std::set<std::string>& used) {
  if (key.empty()) return;
  used.insert(key);
  if (texts.contains(key)) return;
  throw ManifestError(claims.file, figure.line, "figure." + field,
                      fmt::format("{} is not a key of [{}]", key, field));
}

/// Throws where no figure refers to one of `texts`.
void check_used(TomlFields& fields, const DocumentClaims& claims, const std::string& field,
                const std::map<std::string, std::string>& texts, const std::set<std::string>& used) {
  const auto own = fields.table(field);
  for (const auto& [key, unused] : texts) {
    if (!used.contains(key))
      throw ManifestError(claims.file, own.line(key), fmt::format("{}.{}", field, key),
                          "no figure refers to it");
  }
}

toml::table parse(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) throw ManifestError(file, 0, "figures", "is a directory");
  if (!std::filesystem::exists(file)) throw ManifestError(file, 0, "figures", "no such file");
  if (!std::filesystem::is_regular_file(file))
    throw ManifestError(file, 0, "figures", "is not a regular file");
  try {
    return toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw ManifestError(file, error.source().begin.line, "syntax", error.description());
  }
}

}  // namespace

DocumentClaims read_document_claims(const std::filesystem::path& file) {
  const toml::table table = parse(file);
  TomlFields fields(table, file);
  DocumentClaims claims;
  claims.file = file;
  claims.reasons = read_texts(fields, "reason");
  claims.unmeasurable = read_texts(fields, "unmeasurable");
  std::set<std::string> used, used_unmeasurable;
  const toml::node& documents = fields.require("document", "the list of documents: [[document]]");
  for (const toml::node& node : fields.array("document", documents)) {
    TomlFields own(as_table(fields, "document", node), file, "document.");
    Document document;
    document.name = own.string("name", own.require("name", "what the document is called"));
    document.title = own.string("title", own.require("title", "what the document is about"));
    const toml::node& figures = own.require("figure", "the document's figures: [[document.figure]]");
    for (const toml::node& one : own.array("figure", figures)) {
      document.figures.push_back(read_figure(as_table(own, "figure", one), file));
      const DocumentFigure& figure = document.figures.back();
      check_key(claims, figure, "reason", figure.reason, claims.reasons, used);
      check_key(claims, figure, "unmeasurable", figure.unmeasurable, claims.unmeasurable, used_unmeasurable);
    }
    own.finish();
    claims.documents.push_back(std::move(document));
  }
  check_used(fields, claims, "reason", claims.reasons, used);
  check_used(fields, claims, "unmeasurable", claims.unmeasurable, used_unmeasurable);
  fields.finish();
  return claims;
}

}  // namespace assay::profile
