// Which operations a text has written, and what its pragmas say of them.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

namespace assay::metal {

/// What `#pragma METAL fp` allows at a place.
struct ArithmeticRules {
  bool contract = true, reassociate = true;
};

class TextPlaces {
 public:
  /// `library`: the folder of the stand-in headers. Reads what the module says of pragmas.
  TextPlaces(const llvm::Module& module, std::string library);

  /// Is an operation the text's own? It is too where an operator of the library is what the text has written,
  /// as those of vectors are; not what a function of the library computes.
  bool wrote(const llvm::Instruction& one) const;

  /// Does it stand in the text itself?
  bool stands_in_text(const llvm::Instruction& one) const;

  /// What is allowed where the text asks for that operation.
  ArithmeticRules rules(const llvm::Instruction& one) const;

 private:
  struct Range {
    std::string file;
    std::pair<unsigned, unsigned> begin, end;
    ArithmeticRules rules;
  };

  std::string library_;
  std::vector<Range> ranges_;
};

}  // namespace assay::metal
