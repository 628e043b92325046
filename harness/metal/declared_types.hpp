// The names of types that a text declares, found scope by scope.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// One of the language's own types, which are declared nowhere, or a part of its name: `unsigned`.
bool is_fundamental(const Token& token);

/// A word that may stand between a type and the name that it is given to, or before a type.
bool qualifies(const Token& token);

/// For each token, whether it names a type. `is_known` says what names outside of the text are types'.
std::vector<bool> type_tokens(const std::vector<Token>& tokens,
                              const std::function<bool(std::string_view)>& is_known);

}  // namespace assay::metal
