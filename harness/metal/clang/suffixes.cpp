#include "harness/metal/clang/suffixes.hpp"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

namespace assay::metal {
namespace {

bool is_real_or_decimal(llvm::StringRef number) {
  const bool hexadecimal = number.starts_with_insensitive("0x");
  return !hexadecimal || number.find_first_of("pP") != llvm::StringRef::npos;
}

}  // namespace

std::string with_suffixes_of_clang(std::string text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.HexFloats = true;
  std::string result;
  std::size_t done = 0;
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(), text.data(), text.data() + text.size());
  clang::Token token;
  while (!lexer.LexFromRawLexer(token)) {
    if (token.isNot(clang::tok::numeric_constant)) continue;
    const char* const end = lexer.getBufferLocation();
    const llvm::StringRef number(end - token.getLength(), token.getLength());
    const auto at = static_cast<std::size_t>(end - text.data());
    if (!is_real_or_decimal(number)) continue;
    if (number.ends_with("bf") || number.ends_with("BF")) {
      result.append(text, done, at - 2 - done).append("_bf");
      done = at;
    } else if (number.ends_with("H")) {
      result.append(text, done, at - 1 - done).append("h");
      done = at;
    }
  }
  return done == 0 ? text : result.append(text, done);
}

}  // namespace assay::metal
