// The kernels of a text, as its tree has them. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Decl.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// A kernel function that can be launched: no template, but what an instantiation makes of one.
struct Kernel {
  const clang::FunctionDecl* function = nullptr;
  std::string
      host_name;  ///< what the host calls it by; its own name within its namespaces where it says none
  std::string max_threads;  ///< expression of [[max_total_threads_per_threadgroup(...)]], or ""
};

/// Attributes that clang leaves out of the tree.
struct LeftOut {
  /// Where a list stands ahead of the explicit instantiation that is read, which is Metal; behind it, where
  /// it stands ahead of which.
  clang::SourceLocation ahead;
  std::map<const clang::FunctionDecl*, clang::SourceLocation> lists;
  /// Those that nobody knows, and those that stand where they are of a type to C++, and of a parameter to
  /// Metal: behind the brackets of an array, or what has no name.
  std::vector<std::pair<clang::SourceLocation, std::string>> unknown, of_types;
};

/// Hears of explicit instantiations, as clang comes to them.
std::unique_ptr<clang::ASTConsumer> instantiation_listener(LeftOut& left_out);

/// What stands in the parentheses behind a word of an attribute list: `"x"` of `[[host_name("x")]]`; "" where
/// it has none. The list ends with the declaration.
std::string argument_in(llvm::StringRef list, llvm::StringRef word, const clang::LangOptions& language);

/// Those that the text declares so far.
class Kernels {
 public:
  Kernels(const clang::ASTContext& context, const LeftOut& left_out, std::vector<Diagnostic>& errors);

  /// The one that the host, or the text, calls so; null where there is none, which it says.
  const Kernel* chosen(const std::string& name) const;

 private:
  void read(const clang::DeclContext& scope);
  void refuse_lists_behind_the_word(const clang::FunctionDecl& function);
  void read_function(const clang::FunctionDecl& function);
  void read_template(const clang::FunctionTemplateDecl& made);
  llvm::StringRef ahead_of(const clang::FunctionDecl& instantiation) const;

  const clang::ASTContext& context_;
  const LeftOut& left_out_;
  std::vector<Diagnostic>& errors_;
  std::vector<Kernel> all_;
};

}  // namespace assay::metal
