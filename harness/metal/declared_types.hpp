// The names of types that a text declares, found scope by scope.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/metal/token.hpp"

namespace assay::metal {

/// For each token, whether it names a type. `is_known` says what names outside of the text are types'.
std::vector<bool> type_tokens(const std::vector<Token>& tokens,
                              const std::function<bool(std::string_view)>& is_known);

}  // namespace assay::metal
