#include "harness/metal/type_words.hpp"

#include <algorithm>
#include <string_view>

namespace assay::metal {
namespace {

// Words behind which a value may stand. Behind any other word, a word is part of a declaration.
bool comes_before_value(const Token& token) {
  return token.is_any({"return", "case", "throw", "and", "or", "not", "operator", "goto"});
}

std::set<std::string, std::less<>> library_types() {
  std::set<std::string, std::less<>> types;
  for (const std::string scalar : {"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                   "half", "float", "bfloat", "size_t", "ptrdiff_t", "auto"}) {
    types.insert(scalar);
    for (const char* count : {"2", "3", "4"}) {
      types.insert(scalar + count);
      types.insert("packed_" + scalar + count);
      for (const char* rows : {"2", "3", "4"}) types.insert(scalar + count + "x" + rows);
    }
    types.insert("simdgroup_" + scalar + "8x8");
    types.insert("atomic_" + scalar);
  }
  for (const char* name : {"void", "double", "signed", "unsigned", "atomic", "simdgroup_matrix"})
    types.insert(name);
  return types;
}

}  // namespace

TypeWords::TypeWords(const TokenText& text) : tokens_(text.tokens), types_(library_types()) {
  note_brackets();
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].is_any({"struct", "class", "typename", "using", "union", "enum"})) note_declaration(i);
    if (tokens_[i].is("typedef")) note_typedef(i);
  }
}

bool TypeWords::is_type(const Token& token) const {
  return token.is_word() && (types_.contains(token.text) || token.text.ends_with("_t"));
}

void TypeWords::note_brackets() {
  openings_.assign(tokens_.size(), tokens_.size());
  enclosing_.assign(tokens_.size(), tokens_.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].is_any({")", "]", "}"}) && !open.empty()) {
      openings_[i] = open.back();
      open.pop_back();
    }
    if (!open.empty()) enclosing_[i] = open.back();
    if (tokens_[i].is_any({"(", "[", "{"})) open.push_back(i);
  }
}

// struct alignas(8) Name, enum class [[attribute]] Name, struct __attribute__((packed)) Name
void TypeWords::note_declaration(std::size_t keyword) {
  const auto size = tokens_.size();
  auto i = next_significant(tokens_, keyword);
  while (i < size &&
         (tokens_[i].is("[") || tokens_[i].is_any({"alignas", "__attribute__", "class", "struct"}))) {
    if (tokens_[i].is_any({"alignas", "__attribute__"})) i = next_significant(tokens_, i);
    if (i < size && tokens_[i].is_any({"(", "["})) i = closing_bracket(tokens_, i);
    i = next_significant(tokens_, i);
  }
  if (i < size && tokens_[i].is_word()) types_.insert(tokens_[i].text);
}

// The last word of each declarator: typedef struct { ... } Name, *Pointer; typedef float Row[4];
void TypeWords::note_typedef(std::size_t keyword) {
  const auto size = tokens_.size();
  auto name = size;
  for (auto i = next_significant(tokens_, keyword); i < size; i = next_significant(tokens_, i)) {
    if (tokens_[i].is_any({",", ";"}) && name < size) types_.insert(tokens_[name].text);
    if (tokens_[i].is(";")) return;
    if (tokens_[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens_, i);
    if (i < size && tokens_[i].is("<")) i = closing_angle(tokens_, i);
    if (i < size && tokens_[i].is_word() && !tokens_[i].is("__attribute__")) name = i;
  }
}

bool TypeWords::declares_pointer(std::size_t i) const {
  const auto size = tokens_.size();
  auto before = previous_significant(tokens_, i);
  while (before < size && tokens_[before].is("::")) {
    i = previous_significant(tokens_, before);
    if (i >= size || !tokens_[i].is_word()) return false;
    before = previous_significant(tokens_, i);
  }
  if (before >= size || tokens_[before].is_any({";", "}", "]"})) return true;
  if (tokens_[before].is_word()) return !comes_before_value(tokens_[before]);
  if (tokens_[before].is("{")) return begins_statement(before, i);
  if (tokens_[before].is("(")) {
    const auto name = previous_significant(tokens_, before);
    return (name < size && tokens_[name].is("for")) || is_parameter_list(before);
  }
  return tokens_[before].is(",") && is_parameter_list(enclosing_[before]);
}

// Does a statement stand at `i`, right behind `brace`, and not the first of a list of values?
bool TypeWords::begins_statement(std::size_t brace, std::size_t i) const {
  const auto close = closing_bracket(tokens_, brace);
  for (; i < close && i < tokens_.size(); ++i) {
    if (tokens_[i].is(";")) return true;
    if (tokens_[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens_, i);
  }
  return false;
}

// Those of a function, whose body follows: calls and conditions are none.
bool TypeWords::is_parameter_list(std::size_t open) const {
  if (open >= tokens_.size() || !tokens_[open].is("(")) return false;
  const auto name = previous_significant(tokens_, open);
  if (name >= tokens_.size() || tokens_[name].is_any({"if", "while", "for", "switch"})) return false;
  const auto behind = next_significant(tokens_, closing_bracket(tokens_, open));
  return behind < tokens_.size() && tokens_[behind].is_any({"{", "const", "thread", "device", "threadgroup"});
}

}  // namespace assay::metal
