// `c ? a : b` of a bfloat and of another number: Metal converts the bfloat. To clang each converts to the
// other, since the bfloat is a class of the stand-in library, and there is no choice.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <set>
#include <string>
#include <utility>

namespace assay::metal {

/// The branches of such conditionals, as clang complains of them.
class MixedConditionals {
 public:
  /// Notes the branches, if this is such a complaint of the text itself.
  void note(const clang::Diagnostic& complaint);
  bool none() const { return branches_.empty(); }
  /// The same text, but for a function around each that leaves any other number as it is.
  std::string widened(const std::string& text) const;

 private:
  std::set<std::pair<unsigned, unsigned>> branches_;  ///< from, and up to, that byte
};

}  // namespace assay::metal
