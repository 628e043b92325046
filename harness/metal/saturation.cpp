#include "harness/metal/saturation.hpp"

#include "harness/metal/sums.hpp"

namespace assay::metal {
namespace {

bool is_integer_type(const Token& token) {
  return token.is_any({"int", "uint", "short", "ushort", "char", "uchar", "long", "ulong", "int8_t",
                       "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
                       "size_t", "ptrdiff_t"});
}

// What stands before a type that a declaration begins with, such as `int (*rows)[4]`.
bool begins_declaration(const Token& before) {
  return before.is_any({";", "{", "}", ")", ">", "const", "constexpr", "static", "device", "constant",
                        "threadgroup", "thread", "volatile", "operator", "sizeof", "alignof"});
}

}  // namespace

void saturate_conversions(TokenText& text) {
  auto& tokens = text.tokens;
  const SumReader reader(text);
  const auto call_of = [](const std::string& type) { return "assay_msl::saturated<" + type + ">"; };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_integer_type(tokens[i])) continue;
    const auto before = previous_significant(tokens, i), next = next_significant(tokens, i);
    if (before >= tokens.size() || next >= tokens.size()) continue;
    if (tokens[next].is("(") && !begins_declaration(tokens[before])) {
      tokens[i].rewrite(call_of(tokens[i].text));
    } else if (tokens[before].is("<") && tokens[next].is(">")) {
      const auto cast = previous_significant(tokens, before);
      if (cast < tokens.size() && tokens[cast].is("static_cast"))
        tokens[cast].rewrite("assay_msl::saturated");
    } else if (tokens[before].is("(") && tokens[next].is(")") && reader.is_cast(before, next)) {
      const auto operand = next_significant(tokens, next);
      const auto end = operand < tokens.size() ? reader.operand_end(operand) : 0;
      if (end == 0) continue;
      tokens[before].rewrite(call_of(tokens[i].text) + "(");
      tokens[i].rewrite();
      tokens[next].rewrite();
      tokens[end - 1].after = ")" + tokens[end - 1].after;
    }
  }
}

}  // namespace assay::metal
