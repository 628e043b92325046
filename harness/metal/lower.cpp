#include "harness/metal/lower.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/metal/chosen_kernel.hpp"
#include "harness/metal/coherence.hpp"
#include "harness/metal/compiler_intrinsics.hpp"
#include "harness/metal/dialect.hpp"
#include "harness/metal/early_barriers.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/handles.hpp"
#include "harness/metal/host_access.hpp"
#include "harness/metal/leaving.hpp"
#include "harness/metal/not_metal.hpp"
#include "harness/metal/overloads.hpp"
#include "harness/metal/prune.hpp"
#include "harness/metal/second_reader.hpp"
#include "harness/metal/unions.hpp"

namespace assay::metal {
namespace {

// Metal 3.2: without coherent(device), memory is coherent within a threadgroup alone.
constexpr unsigned kFirstWithCoherence = 320;

class Lowering {
 public:
  Lowering(TokenText text, const LoweringRequest& request) : text_(std::move(text)), request_(request) {
    declarations_ = declarations_of(text_);
    refuse_unclosed();
    index_ = index_kernels(text_, declarations_);
    refuse_defined_twice(text_, declarations_, index_);
  }

  LoweredKernel run() {
    choose();
    plain_line_markers(text_);
    const Declaration& chosen = prune();
    coherent_ = take_coherence(text_, declarations_, chosen);
    refuse_host_access(text_, declarations_);
    erase_scope_again();
    refuse_what_metal_lacks(text_, declarations_);
    const std::string with_spaces = request_.with_spaces ? text_with_spaces(text_) : std::string();
    merge_overloads(text_, declarations_);
    write_handles(text_, declarations_, chosen, instantiation_);
    note_leaving(text_, *chosen.body);
    replace_compiler_intrinsics(text_);
    assign_unions(text_);
    name_attributes();
    rewrite_vector_types(text_);
    mark_early_barriers(text_);
    LibraryParts parts = parts_named_in(text_);
    parts.metal_version = request_.metal_version;
    return {text_.str() + coherent_names(), parts, with_spaces};
  }

  std::vector<bool> live() {
    choose();
    const auto stays = used();
    std::vector<bool> tokens(text_.tokens.size(), false);
    for (std::size_t i = 0; i < declarations_.size(); ++i) {
      const auto range = declarations_[i].range;
      for (std::size_t t = range.begin; stays[i] && t < range.end; ++t)
        tokens[t] = text_.files[text_.tokens[t].file] != device::kMadeText;
    }
    return tokens;
  }

 private:
  void refuse_unclosed() const {
    for (const auto& d : declarations_) {
      if (d.complete) continue;
      const Token& begin = text_.tokens[std::min(d.header, text_.tokens.size() - 1)];
      throw CompileError(text_.files[begin.file], begin.line,
                         "the declaration that begins here is not closed");
    }
  }

  void choose() {
    const auto found = choose_kernel(text_, declarations_, index_, request_.function);
    chosen_ = found.function;
    instantiation_ = found.instantiation;
    if (chosen_ == nullptr) no_such_kernel();
  }

  std::vector<bool> used() const {
    auto stays = reachable(text_, declarations_, chosen_->declaration,
                           instantiation_ ? std::optional(instantiation_->declaration) : std::nullopt);
    if (instantiation_) stays[instantiation_->declaration] = true;
    // No one calls the kernels that only share its name.
    for (const auto& one : index_.functions) {
      if (one.name == chosen_->name && &one != chosen_) stays[one.declaration] = false;
    }
    return stays;
  }

  // Returns the kernel's declaration, whose number among those that stay is another.
  const Declaration& prune() {
    const auto stays = used();
    const auto kernel = stays.begin() + static_cast<std::ptrdiff_t>(chosen_->declaration);
    const auto number = static_cast<std::size_t>(std::count(stays.begin(), kernel, true));
    keep_only(text_, declarations_, stays);
    return declarations_[number];
  }

  [[noreturn]] void no_such_kernel() const {
    std::set<std::string> names;
    std::string message = fmt::format("no kernel function `{}`; ", request_.function);
    for (const auto& one : index_.functions) {
      if (!one.is_template) names.insert(one.host_name.empty() ? one.name : one.host_name);
      if (one.is_template && declarations_[one.declaration].name == request_.function) {
        message =
            fmt::format("kernel `{}` is a template; name one of its instantiations: ", request_.function);
      }
    }
    for (const auto& one : index_.instantiations) names.insert(one.host_name);
    message += names.empty() ? "the file has none" : fmt::format("the file has: {}", fmt::join(names, ", "));
    throw CompileError(text_.files.at(0), 0, message);
  }

  // Texts that see inside Apple's headers ("METAL internals") declare what the library here has anyway.
  void erase_scope_again() {
    for (const auto& d : declarations_) {
      const bool scope = d.names == std::vector<std::string>{"thread_scope_system"};
      if (scope && d.scope == std::vector<std::string>{"metal"}) erase_range(text_.tokens, d.range);
    }
  }

  // `[[threadgroup(0)]]`, `[[kernel]]`: the words themselves are macros (stdlib/assay/words.h).
  void name_attributes() {
    auto& tokens = text_.tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto end = attribute_end(tokens, i);
      for (; end && i < *end; ++i) {
        if (tokens[i].is("threadgroup")) tokens[i].rewrite("threadgroup_memory");
        if (tokens[i].is("kernel")) tokens[i].rewrite("kernel_function");
      }
    }
  }

  // What is coherent across threadgroups; "*": everything, before Metal asked for it.
  std::string coherent_names() const {
    std::string list;
    if (request_.metal_version < kFirstWithCoherence) list += "\"*\", ";
    for (const auto& name : coherent_) list += "\"" + name + "\", ";
    return "ASSAY_EXPORT const char* const assay_coherent_names[] = {" + list + "nullptr};\n";
  }

  TokenText text_;
  const LoweringRequest& request_;
  std::vector<Declaration> declarations_;
  KernelIndex index_;
  std::set<std::string> coherent_;
  const KernelFunction* chosen_ = nullptr;
  const KernelInstantiation* instantiation_ = nullptr;
};

}  // namespace

LoweredKernel lower(TokenText text, const LoweringRequest& request) {
  return Lowering(std::move(text), request).run();
}

std::vector<bool> live_tokens(const TokenText& text, const LoweringRequest& request) {
  return Lowering(text, request).live();
}

}  // namespace assay::metal
