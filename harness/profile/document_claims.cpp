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

DocumentFigure read_figure(const toml::table& table, const std::filesystem::path& file) {
  TomlFields fields(table, file, "figure.");
  DocumentFigure figure;
  figure.line = table.source().begin.line;
  figure.section = fields.string("section", fields.require("section", "where the document says it"));
  figure.of = fields.string("of", fields.require("of", "what the figure is of"));
  figure.kernel = fields.string("kernel", fields.require("kernel", "the kernel that is measured"));
  figure.against = text_of(fields, "against");
  figure.unit = text_of(fields, "unit");
  figure.reason = text_of(fields, "reason");
  figure.note = text_of(fields, "note");
  const toml::node& says = fields.require("says", "the document's number, or [least, most]");
  if (const toml::array* range = says.as_array()) {
    if (range->size() != 2) fields.fail("says", &says, "is no [least, most]");
    figure.says = {fields.number("says", (*range)[0]), fields.number("says", (*range)[1])};
    if (figure.says.low > figure.says.high)
      fields.fail("says", &says, "is no [least, most]: the least is first");
  } else {
    figure.says = fields.number("says", says);
  }
  if (const toml::node* within = fields.find("within")) figure.within = fields.number("within", *within, 0);
  auto at = fields.table("at");
  at.each([&](const std::string& name, const toml::node& node) {
    figure.at[name] = at.integer(name, node, 1, std::int64_t{1} << 20);
  });
  const toml::node& measured = fields.require("measured", "arithmetic over counters of the kernel");
  try {
    figure.measured = Expression(fields.string("measured", measured));
  } catch (const ExpressionError& error) {
    fields.fail("measured", &measured, error.what());
  }
  const auto& names = figure.measured.names();
  const bool compares =
      std::any_of(names.begin(), names.end(), [](const auto& name) { return name.starts_with("against_"); });
  if (compares && figure.against.empty())
    fields.fail("measured", &measured, "needs the field against, the kernel that it compares with");
  if (!compares && !figure.against.empty())
    fields.fail("against", fields.find("against"), "is of no use: measured has no against.NAME");
  fields.finish();
  return figure;
}

const toml::table& as_table(TomlFields& fields, std::string_view key, const toml::node& node) {
  if (!node.is_table()) fields.fail(key, &node, "is no list of tables; write [[" + std::string(key) + "]]");
  return *node.as_table();
}

toml::table parse(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) throw ManifestError(file, 0, "figures", "is a directory");
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
  auto reasons = fields.table("reason");
  reasons.each([&](const std::string& key, const toml::node& node) {
    claims.reasons[key] = reasons.string(key, node);
  });
  std::set<std::string> used;
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
      if (figure.reason.empty()) continue;
      used.insert(figure.reason);
      if (!claims.reasons.contains(figure.reason)) {
        throw ManifestError(file, figure.line, "figure.reason",
                            fmt::format("{} is no key of [reason]", figure.reason));
      }
    }
    own.finish();
    claims.documents.push_back(std::move(document));
  }
  for (const auto& [key, unused] : claims.reasons) {
    if (!used.contains(key))
      throw ManifestError(file, reasons.line(key), "reason." + key, "no figure refers to it");
  }
  fields.finish();
  return claims;
}

}  // namespace assay::profile
