// Whether an expression may read memory that other threads write.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/metal/token.hpp"
#include "harness/metal/type_words.hpp"

namespace assay::metal {

/// Tells by the text alone, and takes what it does not understand for a read. Addresses are no reads: sums
/// with pointers and arrays, and members of a thread's own structs.
class SharedReads {
 public:
  explicit SharedReads(const TokenText& text);

  /// May evaluating this expression, or the header of a loop, read device or threadgroup memory?
  bool in(TokenRange range) const;
  /// The same of an expression for a matrix: itself it is a thread's own, but an index of it may be read.
  bool in_matrix(TokenRange range) const;

 private:
  void note_declarators(std::size_t keyword, bool parameter);
  void note(std::size_t name, bool address);
  bool names_shared_value(std::size_t i) const;
  bool may_read(std::size_t i) const;

  const std::vector<Token>& tokens_;
  TypeWords types_;
  /// By name, where something in shared memory is declared, and whether the name stands for its address: of
  /// pointers and arrays.
  std::map<std::string, std::map<std::size_t, bool>, std::less<>> declared_;
};

}  // namespace assay::metal
