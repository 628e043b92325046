// Metal's attributes in the syntax tree. Clang's types stay within this folder.
#pragma once

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::metal {

class FunctionConstants;

/// Metal's attributes become annotations of what they are written at, from now on; function constants are
/// declared there. Null: no text of Metal's is read.
void take_attributes(FunctionConstants* constants);

/// What `__attribute__((assay_local))` stands at is kept in `variables`, from now on; null: it says nothing.
void take_local_variables(std::vector<clang::VarDecl*>* variables);

/// The annotation of that name that a declaration has, or null: of an attribute of Metal's, `buffer` of
/// `[[buffer(3)]]` with its argument, or of a word, `device` (stdlib/assay/words.h). `[[threadgroup(0)]]` is
/// called `threadgroup_memory`, `[[kernel]]` and `kernel` are `kernel_function`.
const clang::AnnotateAttr* annotation_of(const clang::Decl& declaration, llvm::StringRef name);

/// The whole number that its argument is worked out to be. Nothing where it has none, or where that depends
/// on a template's parameter.
std::optional<std::int64_t> number_of(const clang::AnnotateAttr& annotation,
                                      const clang::ASTContext& context);

/// The characters of its argument; "" where it has none.
std::string text_of(const clang::AnnotateAttr& annotation);

/// The attribute that says what a parameter of a kernel stands for, or null; `buffer`, `texture`,
/// `thread_position_in_grid` and their like.
const clang::AnnotateAttr* meaning_of(const clang::ParmVarDecl& parameter);

/// Does the word stand in what declares it, or in that of a name of its type: `typedef device float* Rows;`?
bool has_word(const clang::DeclaratorDecl& declared, llvm::StringRef word);

/// Is it an attribute of parameters or members? And one by which a kernel can be given something?
bool is_of_parameters(llvm::StringRef name);
bool is_supported(llvm::StringRef name);

}  // namespace assay::metal
