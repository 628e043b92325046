#include "harness/metal/shared_reads.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace assay::metal {
SharedReads::SharedReads(const TokenText& text) : tokens_(text.tokens), types_(text) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].is_any({"(", "[", "{"})) open.push_back(i);
    if (tokens_[i].is_any({")", "]", "}"}) && !open.empty()) open.pop_back();
    const auto next = tokens_[i].is("auto") ? next_significant(tokens_, i) : tokens_.size();
    const bool deduced = next < tokens_.size() && tokens_[next].is("&");
    if (deduced || tokens_[i].is_any({"threadgroup", "device"})) {
      note_declarators(i, !open.empty() && tokens_[open.back()].is("("));
    }
  }
}

void SharedReads::note(std::size_t name, bool address) {
  if (name < tokens_.size()) declared_[tokens_[name].text][name] = address;
}

// What `threadgroup` or `device` at `keyword` declares: `threadgroup half tile[64], *p = tile;`
void SharedReads::note_declarators(std::size_t keyword, bool parameter) {
  const auto size = tokens_.size();
  auto name = size;
  bool address = false;
  for (auto i = next_significant(tokens_, keyword); i < size; i = next_significant(tokens_, i)) {
    if (tokens_[i].is("=")) {
      while (i < size && !tokens_[i].is_any({",", ";", ")"})) {
        if (tokens_[i].is_any({"(", "[", "{"})) i = closing_bracket(tokens_, i);
        if (i < size) i = next_significant(tokens_, i);
      }
      if (i >= size) return;
    }
    if (tokens_[i].is(",") && !parameter) {
      note(name, address);
      name = size;
      address = false;
    } else if (tokens_[i].is("<")) {
      i = closing_angle(tokens_, i);
    } else if (tokens_[i].is("[")) {
      address = true;
      i = closing_bracket(tokens_, i);
    } else if (tokens_[i].is("(")) {  // (*pointer)[64], (&array)[64]
      for (++i; i < size && !tokens_[i].is(")"); ++i) {
        if (tokens_[i].is_word()) note(i, true);
      }
      return;
    } else if (tokens_[i].is("*")) {
      address = true;
      name = size;
    } else if (tokens_[i].is_word()) {
      name = i;
    } else if (!tokens_[i].is_any({"&", "::"})) {
      break;
    }
  }
  note(name, address);
}

// By the last declaration of the name before `i`, whatever its scope.
bool SharedReads::names_shared_value(std::size_t i) const {
  const auto known = declared_.find(tokens_[i].text);
  if (known == declared_.end()) return false;
  const auto behind = known->second.lower_bound(i);
  return behind != known->second.begin() && !std::prev(behind)->second;
}

bool SharedReads::may_read(std::size_t i) const {
  const auto before = previous_significant(tokens_, i), behind = next_significant(tokens_, i);
  const auto next_is = [&](std::string_view word) {
    return behind < tokens_.size() && tokens_[behind].is(word);
  };
  const Token& token = tokens_[i];
  if (token.is_any({"[", "->"})) return true;
  if (token.is("*")) {
    return before >= tokens_.size() || !(tokens_[before].is_word() || tokens_[before].is(")") ||
                                         tokens_[before].kind == TokenKind::number);
  }
  if (!token.is_word()) return false;
  const bool member = before < tokens_.size() && tokens_[before].is_any({".", "::"});
  const bool harmless = types_.is_type(i) || token.is_any({"for", "min", "max", "sizeof"});
  return (next_is("(") && !harmless) || (!member && names_shared_value(i));
}

bool SharedReads::in(TokenRange range) const {
  for (auto i = range.begin; i < range.end; ++i) {
    if (tokens_[i].significant() && may_read(i)) return true;
  }
  return false;
}

bool SharedReads::in_matrix(TokenRange range) const {
  for (auto i = range.begin; i < range.end; ++i) {
    if (tokens_[i].is("[")) {
      const auto close = closing_bracket(tokens_, i);
      if (in({i + 1, std::min(close, range.end)})) return true;
      i = close;
    } else if (tokens_[i].significant() && may_read(i)) {
      return true;
    }
  }
  return false;
}

}  // namespace assay::metal
