#include "harness/metal/library_words.hpp"

#include <set>
#include <string>

#include "harness/metal/stdlib_files.hpp"
#include "harness/metal/token.hpp"

namespace assay::metal {

bool is_library_word(std::string_view word) {
  static const auto kWords = [] {
    std::set<std::string, std::less<>> words;
    for (const auto& file : stdlib_files()) {
      if (std::string_view(file.name) != "assay/metal.h") continue;
      const auto tokens = tokenize(file.text, file.name).tokens;
      for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        // `of` is the namespace of those whose result Metal grants some error.
        if (!tokens[i].is_any({"assay_msl", "of"}) || !tokens[i + 1].is("::")) continue;
        words.insert(tokens[i + 2].text);
        if (!tokens[i + 2].is("group") || i + 5 >= tokens.size()) continue;  // group##_sum
        for (const char* group : {"simd", "quad"}) words.insert(group + tokens[i + 5].text);
      }
    }
    return words;
  }();
  return kWords.contains(word);
}

}  // namespace assay::metal
