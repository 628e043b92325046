// The words of an entry's `semantics` and those that its operation declares.
#pragma once

#include <string>
#include <vector>

#include "harness/verify/manifest.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// Of the declared meanings, those that the arithmetic has words for.
std::vector<const Meaning*> meanings_of(const OperationDeclaration& declaration,
                                        const Arithmetic& arithmetic);

/// Throws ManifestError at the field of the first word that the operation does not know; it lists those that
/// it does.
void check_semantics(const KernelEntry& entry, const OperationDeclaration& declaration);

/// Sets how the entry's tensors are kept. Throws as check_semantics does.
void settle_semantics(KernelEntry& entry, const OperationDeclaration& declaration);

/// Sums pass through halves, by the accumulator or by a word: large ones are infinite there.
bool has_half_sums(const OperationDeclaration& declaration, const Arithmetic& arithmetic);

/// Whether a word says that NaN and infinities of this input need not reach outputs.
bool is_hidden(const OperationDeclaration& declaration, const Arithmetic& arithmetic,
               const std::string& input);

}  // namespace assay::properties
