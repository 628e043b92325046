// What the memory behind a kernel's parameters holds. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/device/memory_shape.hpp"
#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// What a type of the library's is called there, "vec" of `vec<float, 4>`; "" of any other.
llvm::StringRef library_name(clang::QualType type);

/// Is that the library's name of textures?
inline bool names_texture(llvm::StringRef name) {
  return name.starts_with("texture") || name.starts_with("depth");
}

/// How many numbers it has, of a number and of a vector of the library's; 0 of anything else.
std::uint64_t components_of(clang::QualType type);

/// Do these lead to pointers, or to structs of the text, or to matrices? Then a launch is told what they
/// hold.
bool leads_to_parts(const clang::ASTContext& context, const clang::FunctionDecl& kernel);

/// What lies in memory of a type: where pointers are in it, under which names, and what they lead to.
device::MemoryShape shape_of(const clang::ASTContext& context, clang::QualType type);

/// Of a struct whose one member is an array that goes on, `float data[1]` or `data[]`, as translated shaders
/// declare a buffer: the type of its elements.
std::optional<clang::QualType> element_of_open_array(const clang::ASTContext& context, clang::QualType type);

/// The records of a parameter's memory, as rows of a table of assay_entry::part (stdlib/assay/shape.h).
/// Says where two members have one [[id]].
std::string shape_rows(const clang::ASTContext& context, clang::QualType parameter,
                       std::vector<Diagnostic>& errors);

}  // namespace assay::metal
