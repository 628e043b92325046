// The declarations of a scope: enough of C++'s grammar to tell where each begins and ends, and what it names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

enum class DeclarationKind : std::uint8_t {
  function,  ///< with a body or without
  type,      ///< struct, class, union or enum with a body
  other,     ///< variables, typedefs, using, static_assert, asm and what is not understood
};

/// One declaration. Indices are of tokens; `std::nullopt` where there is no such part.
struct Declaration {
  DeclarationKind kind = DeclarationKind::other;
  TokenRange range;                       ///< from `template` or attributes to the closing "}" or ";"
  TokenRange template_header;             ///< `template <...>`, several if nested; empty if there is none
  std::size_t header = 0;                 ///< what follows the template header
  std::optional<std::size_t> parameters;  ///< of a function: "("
  std::optional<std::size_t> body;        ///< "{" of a function or a type
  std::string name;                ///< of a function or type, without template arguments; "" if it has none
  std::vector<std::string> names;  ///< all that it declares; empty where that is not known
  std::vector<std::string> scope;  ///< the namespaces around it, outermost first; "" if unnamed
  bool explicit_instantiation = false;   ///< `template void f<int>();`
  bool explicit_specialisation = false;  ///< `template <> ...`
  bool complete = true;                  ///< false: the text ends inside it
};

/// Every declaration in namespace scope, those inside namespaces and `extern "C" {}` included, in order.
std::vector<Declaration> declarations_of(const TokenText& text);

/// The members declared in the body of a type, also of `typedef struct { ... } Name;`.
std::vector<Declaration> members_of(const TokenText& text, const Declaration& type);

/// Is there "[[" at token i (two adjacent brackets)? Returns the index behind the closing "]]", or nothing.
std::optional<std::size_t> attribute_end(const std::vector<Token>& tokens, std::size_t i);

/// The words and signs of a range, without attributes.
std::vector<std::string> words_in(const std::vector<Token>& tokens, TokenRange range);

}  // namespace assay::metal
