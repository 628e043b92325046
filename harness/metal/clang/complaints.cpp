#include "harness/metal/clang/complaints.hpp"

#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <array>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/conditionals.hpp"
#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

// Arrays have the length that the text says; clang takes others for an extension of its own.
constexpr std::array<unsigned, 4> kOfLengths = {
    clang::diag::ext_vla_cxx, clang::diag::ext_vla_cxx_in_gnu_mode, clang::diag::ext_vla_cxx_static_assert,
    clang::diag::ext_vla_cxx_in_gnu_mode_static_assert};
// Some functions are told apart by what is no difference to clang.
constexpr std::array<unsigned, 7> kRedeclares = {clang::diag::err_redefinition,
                                                 clang::diag::err_member_redeclared,
                                                 clang::diag::err_member_redeclared_in_instantiation,
                                                 clang::diag::err_constructor_redeclared,
                                                 clang::diag::err_conv_function_redeclared,
                                                 clang::diag::err_destructor_redeclared,
                                                 clang::diag::err_ovl_diff_return_type};
const std::string kNoLength = "the length of an array is no constant expression";

// Errors as data; warnings are the author's affair, and clang's notes are kept where they say how it came to
// the place of an error.
class Collector : public clang::DiagnosticConsumer {
 public:
  Collector(Complaints& complaints, const std::string& library)
      : complaints_(complaints),
        errors_(complaints.errors),
        library_(library),
        left_out_(complaints.left_out) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    const auto place =
        info.hasSourceManager() ? place_of(info.getSourceManager(), info.getLocation()) : Diagnostic::Place();
    if (is_said_otherwise(info, message)) return;
    if (is_of_attributes(info.getID()) && keep_attribute(info, quoted_in(message))) return;
    if (level >= clang::DiagnosticsEngine::Error || is_of_attributes(info.getID())) {
      widen_branches(info, complaints_.edits);
      complaints_.ambiguous |= message.str().contains("ambiguous");
      complaints_.unassigned |= message.str().contains("assignment operator is implicitly deleted");
      const bool length = std::find(kOfLengths.begin(), kOfLengths.end(), info.getID()) != kOfLengths.end();
      errors_.push_back({place, length ? kNoLength : message.str().str(), {}});
      redeclares_ = std::find(kRedeclares.begin(), kRedeclares.end(), info.getID()) != kRedeclares.end();
      if (redeclares_ && info.hasSourceManager())
        complaints_.redeclared.push_back({info.getLocation(), {}, errors_.size() - 1});
    } else if (level == clang::DiagnosticsEngine::Note && !errors_.empty()) {
      if (redeclares_ && message.starts_with("previous")) {
        complaints_.redeclared.back().before = info.getLocation();
        redeclares_ = false;
      }
      if (message.starts_with("to match this '{'") && errors_.back().message == "expected '}'") {
        errors_.back().place = place;
        errors_.back().message += " to match this '{'";
      }
      if (leads_there(message)) errors_.back().asked_for_at.push_back(place);
      // Which part of an expression is none.
      auto& error = errors_.back().message;
      if ((error.ends_with("constant expression") || error == kNoLength) && says_why(message))
        error += ": " + message.str().str();
      // Why the text's own function is not the one.
      if (error.starts_with("no matching") && error.find(": ") == error.npos &&
          message.starts_with("candidate") && !place.file.starts_with(library_))
        error += ": " + message.str().str();
    }
  }

 private:
  // What refusals() says of its own, what stands behind the text, and what texts that see inside Apple's
  // headers ("METAL internals") declare though the library has it.
  bool is_said_otherwise(const clang::Diagnostic& info, llvm::StringRef message) {
    if (info.getID() == clang::diag::err_indirect_goto_without_addrlabel) return true;
    if (!info.hasSourceManager()) return false;
    const clang::SourceManager& sources = info.getSourceManager();
    const auto [file, at] = sources.getDecomposedLoc(sources.getExpansionLoc(info.getLocation()));
    const llvm::StringRef text = sources.getBufferData(file);
    if (info.getID() == clang::diag::err_namespace_nonnamespace_scope)
      return text.take_front(at).rtrim().ends_with("namespace assay_entry");
    if (!message.starts_with("declaration conflicts with target of using") ||
        !text.drop_front(at).starts_with("thread_scope_system"))
      return false;
    complaints_.edits.replace(sources, declaration_around(sources, info.getLocation()), "");
    return true;
  }

  // What clang says where it leaves attributes out; that they are unknown is no error.
  static bool is_of_attributes(unsigned id) {
    return id == clang::diag::err_attributes_not_allowed || id == clang::diag::err_attribute_not_type_attr ||
           id == clang::diag::warn_unknown_attribute_ignored;
  }

  // Are they left out of C++ alone, and not of Metal?
  bool keep_attribute(const clang::Diagnostic& info, const std::string& name) {
    const clang::SourceManager& sources = info.getSourceManager();
    const clang::SourceLocation at = sources.getExpansionLoc(info.getLocation());
    // Nothing depends on these.
    const bool idle =
        name == "user" || name == "raster_order_group" || name == "noescape" || name == "maybe_unused";
    if (info.getID() == clang::diag::err_attributes_not_allowed) {
      // Ahead of an explicit instantiation, or an alignment within a type.
      const auto before =
          sources.getBufferData(sources.getFileID(at)).take_front(sources.getFileOffset(at)).rtrim();
      if (llvm::StringRef(sources.getCharacterData(at)).starts_with("alignas")) return true;
      if (!before.ends_with("template")) return false;
      left_out_.ahead.push_back(info.getLocation());
    } else if (info.getID() == clang::diag::warn_unknown_attribute_ignored) {
      if (!idle) left_out_.unknown.emplace_back(info.getLocation(), name);
    } else if (is_of_parameters(name)) {
      left_out_.of_types.emplace_back(info.getLocation(), name);
    } else {
      return idle;
    }
    return true;
  }

  static std::string quoted_in(llvm::StringRef message) {
    return message.drop_until([](char c) { return c == '\''; })
        .drop_front(message.contains('\'') ? 1 : 0)
        .take_until([](char c) { return c == '\''; })
        .str();
  }

  static bool leads_there(llvm::StringRef note) {
    return note.starts_with("in instantiation of") || note.starts_with("while substituting") ||
           note.starts_with("in evaluation of") || note.starts_with("in call to") ||
           note.starts_with("while checking");
  }

  static bool says_why(llvm::StringRef note) {
    return note.contains("not allowed in a constant expression") ||
           note.contains("cannot be used in a constant expression") || note.contains(" is unknown") ||
           note.contains("is not a constant expression");
  }

  Complaints& complaints_;
  std::vector<Diagnostic>& errors_;
  const std::string& library_;
  LeftOut& left_out_;
  bool redeclares_ = false;  // does a note of what was there before follow?
};

}  // namespace

clang::DiagnosticConsumer* collector(Complaints& complaints, const std::string& library) {
  return new Collector(complaints, library);
}

void set_severities(clang::DiagnosticsEngine& diagnostics) {
  const auto severity = [&](unsigned of, clang::diag::Severity is) {
    diagnostics.setSeverity(of, is, clang::SourceLocation());
  };
  // A value that a function of the library gives is a constant to Metal, and none to C++.
  severity(clang::diag::err_constexpr_var_requires_const_init, clang::diag::Severity::Ignored);
  for (const unsigned of_main :  // which refusals() says has another name
       {clang::diag::err_main_returns_nonint, clang::diag::err_main_arg_wrong,
        clang::diag::err_main_surplus_args})
    severity(of_main, clang::diag::Severity::Ignored);
  for (const unsigned of_narrowing :
       {clang::diag::ext_init_list_type_narrowing, clang::diag::ext_init_list_type_narrowing_const_reference,
        clang::diag::ext_init_list_variable_narrowing,
        clang::diag::ext_init_list_variable_narrowing_const_reference,
        clang::diag::ext_init_list_constant_narrowing,
        clang::diag::ext_init_list_constant_narrowing_const_reference})
    severity(of_narrowing, clang::diag::Severity::Error);
  severity(clang::diag::err_attributes_not_allowed, clang::diag::Severity::Remark);
  severity(clang::diag::err_attribute_not_type_attr, clang::diag::Severity::Remark);
  severity(clang::diag::warn_unknown_attribute_ignored, clang::diag::Severity::Warning);
  for (const unsigned of_length : kOfLengths) severity(of_length, clang::diag::Severity::Error);
}

}  // namespace assay::metal
