// The kernels of a text, as its tree has them. Clang's types stay within this folder.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>

#include <string>
#include <vector>

#include "harness/metal/clang/edits.hpp"
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
  /// Where a list stands ahead of an explicit instantiation, which is Metal: by where that is.
  std::vector<clang::SourceLocation> ahead;
  /// Those that nobody knows, and those that stand where they are of a type to C++, and of a parameter to
  /// Metal: behind the brackets of an array, or what has no name.
  std::vector<std::pair<clang::SourceLocation, std::string>> unknown, of_types;
};

/// Explicit instantiations of functions, which a text declares (clang/spelling.hpp), are made when something
/// uses them, as any others; those that something has used are under way then.
void make_when_used(clang::Sema& sema);

/// What stands in the parentheses behind a word of an attribute list: `"x"` of `[[host_name("x")]]`; "" where
/// it has none. The list ends with the declaration.
std::string argument_in(llvm::StringRef list, llvm::StringRef word, const clang::LangOptions& language);

/// Those that the text declares so far.
class Kernels {
 public:
  Kernels(const clang::ASTContext& context, const LeftOut& left_out, std::vector<Diagnostic>& errors);

  /// What hosts call them: functions, then instantiations, in order.
  std::vector<std::string> names() const;

  /// Where the list ahead of the explicit instantiation stands that makes a kernel; invalid of any other.
  clang::SourceLocation list_of(const clang::FunctionDecl& kernel) const;

  /// The one that the host, or the text, calls so; null where there is none, which it says. An instance that
  /// the text asks for under several names has the first of them to clang: for another, the others go.
  const Kernel* chosen(const std::string& name, Edits& edits) const;

 private:
  void read(const clang::DeclContext& scope);
  void refuse_lists_behind_the_word(const clang::FunctionDecl& function);
  void read_function(const clang::FunctionDecl& function);
  void read_template(const clang::FunctionTemplateDecl& made);
  bool single_out(const std::string& name, Edits& edits) const;
  void say_there_is_none(const std::string& name) const;
  void say_twice(const std::string& name, const clang::FunctionDecl& first,
                 const clang::FunctionDecl& again) const;
  llvm::StringRef text_from(clang::SourceLocation at) const;

  const clang::ASTContext& context_;
  const LeftOut& left_out_;
  std::vector<Diagnostic>& errors_;
  std::vector<Kernel> all_;
  std::vector<std::string> templates_;  ///< names of those that are templates
};

}  // namespace assay::metal
