// Causes that a kernel is known to be rejected for in one mode: which of its cases are worth shrinking.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "assay/verdict.hpp"
#include "harness/fuzz/kept_finding.hpp"
#include "properties/cases/case.hpp"

namespace assay::fuzz {

class KnownCauses {
 public:
  void add(const KeptFinding& finding);

  /// What run::VerifyOptions::counted is asked: true where the case says nothing new. It does where its cause
  /// is new, where it is smaller than what is kept, and, as wrong results of several causes look alike until
  /// they are diagnosed, at the 2nd, 4th, 8th, ... wrong result.
  bool counted(Verdict verdict, const std::string& cause, const properties::Case& rejected);

 private:
  struct Known {
    std::uint64_t seen = 0;
    double size = 0;  ///< of the smallest case
  };
  std::map<std::string, Known> causes_;
};

}  // namespace assay::fuzz
