#include "properties/cases/semantics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/verify/shown.hpp"

namespace assay::properties {
namespace {

/// The words of a field, what is documented first; none where the operation has no such field.
std::vector<std::string> words_of(const OperationDeclaration& declaration, const std::string& field) {
  std::vector<std::string> words;
  for (const Meaning& one : declaration.meanings) {
    if (one.field != field) continue;
    if (words.empty()) words.push_back(fmt::format("\"{}\"", one.usual));
    words.push_back(fmt::format("\"{}\"", one.word));
  }
  return words;
}

std::vector<std::string> fields_of(const OperationDeclaration& declaration) {
  std::vector<std::string> fields;
  for (const Meaning& one : declaration.meanings) {
    if (std::find(fields.begin(), fields.end(), one.field) == fields.end()) fields.push_back(one.field);
  }
  return fields;
}

}  // namespace

std::vector<const Meaning*> meanings_of(const OperationDeclaration& declaration,
                                        const Arithmetic& arithmetic) {
  std::vector<const Meaning*> found;
  for (const Meaning& one : declaration.meanings) {
    if (arithmetic.means(one.field, one.word)) found.push_back(&one);
  }
  return found;
}

void check_semantics(const KernelEntry& entry, const OperationDeclaration& declaration) {
  for (const auto& [field, word] : entry.arithmetic.semantics) {
    const auto words = words_of(declaration, field);
    const auto refuse = [&, &field = field](const std::string& why) {
      throw entry.error("semantics." + field, why);
    };
    if (words.empty()) {
      const auto fields = fields_of(declaration);
      refuse(fmt::format("means nothing to {}; it has {}", declaration.name,
                         fields.empty() ? "no such field" : fmt::format("{}", fmt::join(fields, ", "))));
    }
    if (std::find(words.begin(), words.end(), fmt::format("\"{}\"", word)) == words.end()) {
      refuse(fmt::format("is \"{}\", which {} does not know; write {}", shown(word), declaration.name,
                         fmt::join(words, " or ")));
    }
  }
}

void settle_semantics(KernelEntry& entry, const OperationDeclaration& declaration) {
  check_semantics(entry, declaration);
  entry.storages.emplace();
  for (const Meaning* one : meanings_of(declaration, entry.arithmetic))
    entry.storages->insert(one->storages.begin(), one->storages.end());
}

bool has_half_sums(const OperationDeclaration& declaration, const Arithmetic& arithmetic) {
  if (arithmetic.accumulate == Precision::half_precision) return true;
  const auto said = meanings_of(declaration, arithmetic);
  return std::any_of(said.begin(), said.end(), [](const Meaning* one) { return one->half_sums; });
}

bool is_hidden(const OperationDeclaration& declaration, const Arithmetic& arithmetic,
               const std::string& input) {
  const auto said = meanings_of(declaration, arithmetic);
  return std::any_of(said.begin(), said.end(), [&](const Meaning* one) {
    return std::find(one->hides.begin(), one->hides.end(), input) != one->hides.end();
  });
}

}  // namespace assay::properties
