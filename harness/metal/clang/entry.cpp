#include "harness/metal/clang/entry.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/coherence.hpp"
#include "harness/metal/clang/parameters.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/shapes.hpp"

namespace assay::metal {
namespace {

using namespace clang;

// An index that no table has.
constexpr std::int64_t kBeyond = 1000;
const std::string kCall = "assay_entry::call<assay_chosen>";

// A parameter, as the entry point asks for it.
struct Parameter {
  const ParmVarDecl* declaration = nullptr;
  std::string kind;   ///< an enumerator of assay_entry::kind
  std::string table;  ///< of Metal's argument tables, which it takes an index of: "buffer", ...; "" of none
  std::optional<std::int64_t> index = {};  ///< nothing: the next that is free
  std::int64_t places = 1;                 ///< so many in a row
};

class EntryWriter {
 public:
  EntryWriter(ASTContext& context, const Kernel& kernel, const LeftOut& left_out, bool all_coherent,
              std::vector<Diagnostic>& errors)
      : context_(context),
        kernel_(*kernel.function),
        limit_(kernel.max_threads),
        left_out_(left_out),
        all_coherent_(all_coherent),
        errors_(errors),
        policy_(context.getLangOpts()) {
    policy_.PrintCanonicalTypes = true;
    policy_.SuppressUnwrittenScope = true;
  }

  std::string write(const std::set<std::uint32_t>& constants, const std::vector<std::string>& slots) {
    if (!kernel_.getReturnType()->isVoidType())
      say(kernel_, "kernel `" + kernel_.getNameAsString() + "` returns a value; kernels return void");
    for (const ParmVarDecl* one : kernel_.parameters()) parameters_.push_back(read(*one));
    number();
    check_positions();
    const bool shapes = leads_to_parts(context_, kernel_);
    std::string tables, specs, rows;
    for (const Parameter& one : parameters_) {
      const std::string kind = "assay_entry::" + one.kind, index = std::to_string(one.index.value_or(0));
      const std::string place = std::to_string(&one - parameters_.data());
      const bool memory = one.table == "buffer" || one.table == "threadgroup";
      if (shapes && memory)
        tables += "constexpr assay_entry::part assay_shape" + place + "[] = {\n" +
                  shape_rows(context_, one.declaration->getType(), errors_) + "};\n";
      specs += (specs.empty() ? "" : ", ") + ("assay_entry::spec<" + kind + ", " + index + ">");
      rows += "{\"" + name_of(*one.declaration) + "\", " + kind + ", " + index + ", " + kCall + "::traits(" +
              place + "), " + (shapes && memory ? "assay_shape" + place : "nullptr") + "},\n";
    }
    std::string indices, names;
    for (const std::string& one : slots) names += "\"" + one + "\", ";
    for (const std::uint32_t one : constants) indices += std::to_string(one) + ", ";
    const std::string limit = limit_.empty() ? "" : "assay_entry::limit_threads<int(" + limit_ + ")>();";
    return tables + marker() + declared() + marker() +
           "ASSAY_EXPORT void assay_kernel_entry(const assay_entry::arguments* a) { " + limit + " " + kCall +
           "::with<" + specs + ">(*a); }\n" +
           "ASSAY_EXPORT const assay_entry::parameter assay_kernel_parameters[] = {" + rows +
           "{nullptr, 0, 0, 0, nullptr}};\n" + "ASSAY_EXPORT const int assay_function_constants[] = {" +
           indices + "-1};\n" + "ASSAY_EXPORT const char* const assay_slot_names[] = {" + names +
           "nullptr};\n" + coherent();
  }

 private:
  void say(const Decl& at, std::string message) { errors_.push_back({place_of(at), std::move(message), {}}); }

  // What is coherent across threadgroups; "*": everything.
  std::string coherent() const {
    std::string list;
    if (all_coherent_) list += "\"*\", ";
    for (const std::string& name : coherent_names(context_, kernel_)) list += "\"" + name + "\", ";
    return "ASSAY_EXPORT const char* const assay_coherent_names[] = {" + list + "nullptr};\n";
  }

  // The kernel's line: what is wrong with an argument is found in there.
  std::string marker() const {
    const Diagnostic::Place place = place_of(kernel_);
    std::string file;
    for (const char c : place.file)
      file += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
    return "# " + std::to_string(place.line) + " \"" + file + "\"\n";
  }

  // Under its name as the linker has it: no other says which one it is in all cases, as `k<f<2>>` where
  // several templates are named `f`.
  std::string declared() const {
    std::string chosen = "assay_chosen";
    kernel_.getType().getCanonicalType().getAsStringInternal(chosen, policy_);
    return chosen + " __asm__(\"" + ASTNameGenerator(context_).getName(&kernel_) + "\");\n";
  }

  // An attribute of it that clang has left out of the tree. They stand behind its name.
  using LeftOutAttributes = std::vector<std::pair<SourceLocation, std::string>>;
  const std::pair<SourceLocation, std::string>* one_of(const LeftOutAttributes& all,
                                                       const ParmVarDecl& parameter) const {
    const SourceManager& sources = context_.getSourceManager();
    for (const auto& one : all) {
      if (sources.isBeforeInTranslationUnit(parameter.getBeginLoc(), one.first) &&
          sources.isBeforeInTranslationUnit(one.first, end_of(parameter)))
        return &one;
    }
    return nullptr;
  }
  SourceLocation end_of(const ParmVarDecl& parameter) const {
    const unsigned next = parameter.getFunctionScopeIndex() + 1;
    if (next < kernel_.getNumParams()) return kernel_.getParamDecl(next)->getBeginLoc();
    return kernel_.getBody() != nullptr ? kernel_.getBody()->getBeginLoc() : kernel_.getEndLoc();
  }

  // Of an attribute that clang takes for one of the type: a number, or the name of one.
  std::optional<std::int64_t> index_behind(SourceLocation at, const ParmVarDecl& parameter,
                                           const std::string& name) {
    const SourceManager& sources = context_.getSourceManager();
    const auto text =
        Lexer::getSourceText(CharSourceRange::getCharRange(sources.getExpansionLoc(at),
                                                           sources.getExpansionLoc(end_of(parameter))),
                             sources, context_.getLangOpts());
    const std::string argument = argument_in(text.str(), name, context_.getLangOpts());
    std::int64_t number = 0;
    if (argument.empty()) return std::nullopt;
    if (!llvm::StringRef(argument).trim().getAsInteger(0, number)) return number;
    for (const NamedDecl* one :
         context_.getTranslationUnitDecl()->lookup(&context_.Idents.get(llvm::StringRef(argument).trim()))) {
      const auto* const variable = dyn_cast<VarDecl>(one);
      Expr::EvalResult result;
      if (variable != nullptr && variable->getInit() != nullptr &&
          variable->getInit()->EvaluateAsInt(result, context_))
        return result.Val.getInt().getExtValue();
    }
    say(parameter, "assay: cannot work out the index in [[" + name + "(" + argument +
                       ")]]; write the attribute behind "
                       "the name of a pointer");
    return std::nullopt;
  }

  // "texture" or "sampler" of one, or of an array of them; else "".
  std::string handle_of(QualType type, std::int64_t& places) const {
    type = type.getNonReferenceType();
    if (library_name(type) == "array") {
      const auto& arguments =
          cast<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl())->getTemplateArgs();
      type = arguments[0].getAsType();
      places = static_cast<std::int64_t>(arguments[1].getAsIntegral().getLimitedValue(kBeyond));
    }
    const auto name = library_name(type);
    const bool texture = names_texture(name);
    if (!texture && name != "sampler") places = 1;
    return texture ? "texture" : name == "sampler" ? "sampler" : "";
  }

  Parameter read(const ParmVarDecl& declaration) {
    Parameter parameter{&declaration, "absent", ""};
    const std::string name = name_of(declaration);
    std::string attribute;
    if (const AnnotateAttr* const meaning = meaning_of(declaration)) {
      attribute = meaning->getAnnotation().str();
      parameter.index = number_of(*meaning, context_);
    } else if (const auto* left_out = one_of(left_out_.of_types, declaration)) {
      attribute = left_out->second;
      parameter.index = index_behind(left_out->first, declaration, attribute);
    }
    // Beyond every table is beyond it, whatever the number.
    if (parameter.index) parameter.index = std::clamp<std::int64_t>(*parameter.index, -1, kBeyond);
    const QualType type = declaration.getType();
    const bool reference = type->isReferenceType(), pointer = type->isPointerType() || reference;
    refuse_attribute(declaration, attribute);
    std::string handle = handle_of(type, parameter.places);
    if (handle.empty() && (attribute == "texture" || attribute == "sampler")) handle = attribute;
    const auto* const unknown = attribute.empty() ? one_of(left_out_.unknown, declaration) : nullptr;
    if (unknown != nullptr) {
      say(declaration,
          "assay: parameter `" + name + "`: the attribute [[" + unknown->second + "]] is not supported");
    } else if (library_name(type) == "tensor") {
      say(declaration, "assay: `" + name +
                           "`: tensors that the host binds (tensor_handle) are not supported; take a "
                           "pointer, and make a tensor of it (tensor_inline)");
    } else if (!handle.empty()) {
      parameter.kind = parameter.table = handle;
      if (type->isPointerType())
        say(declaration, "`" + name + "` has [[" + handle + "]], so it must not be a pointer");
    } else if (attribute == "buffer" || attribute == "threadgroup_memory" || (attribute.empty() && pointer)) {
      const bool shared =
          attribute == "threadgroup_memory" || (attribute.empty() && has_word(declaration, "threadgroup"));
      parameter.table = shared ? "threadgroup" : "buffer";
      parameter.kind = shared                                           ? "threadgroup_memory"
                       : reference && has_word(declaration, "constant") ? "constant_reference"
                                                                        : "buffer";
      if (!pointer)
        say(declaration,
            "`" + name + "` has [[" + parameter.table + "]] but is neither a pointer nor a reference");
    } else if (!attribute.empty() && !is_supported(attribute)) {
      say(declaration,
          "assay: parameter `" + name + "`: the attribute [[" + attribute + "]] is not supported");
    } else if (!attribute.empty()) {
      parameter.kind = attribute;
      if (pointer)
        say(declaration, "`" + name + "` is a " + (reference ? "reference" : "pointer") + ", but [[" +
                             attribute + "]] is a value");
      else if (!is_made_of_numbers(type))
        say(declaration, "`" + name + "`: type `" + type.getAsString(policy_) + "` is not valid for [[" +
                             attribute + "]]: it is ushort or uint, or a vector of them");
    } else {
      say(declaration, "parameter `" + name + "` of kernel " + kernel_.getNameAsString() +
                           " has no attribute that says what it stands for");
    }
    const AnnotateAttr* const condition = annotation_of(declaration, "function_constant");
    if (condition != nullptr && number_of(*condition, context_).value_or(0) == 0) parameter.kind = "absent";
    return parameter;
  }

  void refuse_attribute(const ParmVarDecl& declaration, const std::string& attribute) {
    const AnnotateAttr* const meaning = meaning_of(declaration);
    const std::string name = "`" + name_of(declaration) + "`: ";
    const bool buffer = attribute == "buffer", shared = attribute == "threadgroup_memory";
    if (meaning != nullptr && meaning->args_size() == 0 &&
        (buffer || shared || attribute == "texture" || attribute == "sampler"))
      say(declaration, name + "[[" + (shared ? "threadgroup" : attribute) + "]] takes a number");
    const QualType of_number =
        meaning == nullptr || meaning->args_size() == 0 ? QualType() : (*meaning->args_begin())->getType();
    // One that is beyond every table is long because it is large.
    const std::int64_t number = of_number.isNull() ? -1 : number_of(*meaning, context_).value_or(-1);
    if (number >= 0 && number < kBeyond &&
        (of_number->isSpecificBuiltinType(BuiltinType::Long) ||
         of_number->isSpecificBuiltinType(BuiltinType::ULong)))
      say(declaration, name + "the number of an attribute is no `" + of_number.getAsString(policy_) + "`");
    if (buffer && has_word(declaration, "threadgroup"))
      say(declaration, name + "[[buffer]] is device or constant memory, and no threadgroup memory");
    if (shared && (has_word(declaration, "device") || has_word(declaration, "constant")))
      say(declaration, name + "[[threadgroup]] is threadgroup memory, and no other");
    std::int64_t places = 0;
    if (declaration.getType()->isPointerType() &&
        !handle_of(declaration.getType()->getPointeeType(), places).empty())
      say(declaration, name + "a buffer holds textures and samplers as members of a struct alone");
  }

  // As positions, sizes and numbers of threads are.
  static bool is_made_of_numbers(QualType type) {
    if (library_name(type) == "vec")
      type =
          cast<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl())->getTemplateArgs()[0].getAsType();
    return type->isSpecificBuiltinType(BuiltinType::UShort) || type->isSpecificBuiltinType(BuiltinType::UInt);
  }

  // Metal numbers what has no index in order, leaving out those that are taken.
  void number() {
    std::set<std::pair<std::string, std::int64_t>> taken;
    for (const Parameter& one : parameters_) {
      if (one.index && !one.table.empty())
        for (std::int64_t i = 0; i < one.places; ++i) taken.emplace(one.table, *one.index + i);
    }
    std::map<std::string, std::int64_t> next;
    for (Parameter& one : parameters_) {
      if (one.table.empty() || one.index) continue;
      std::int64_t& index = next[one.table];
      const auto is_free = [&] {
        for (std::int64_t i = 0; i < one.places; ++i)
          if (taken.contains({one.table, index + i})) return false;
        return true;
      };
      while (!is_free()) ++index;
      one.index = index;
      index += one.places;
    }
    for (const Parameter& one : parameters_) check(one);
  }

  // Of positions and sizes within the grid, and of those of threadgroups, each have one number of components.
  void check_positions() {
    std::uint64_t of_threads = 0, of_groups = 0;
    for (const Parameter& one : parameters_) {
      const llvm::StringRef name = one.kind;
      const bool in_space = name.contains("threads_per_grid") || name.contains("threads_per_threadgroup") ||
                            name.starts_with("thread_position_in") ||
                            name.starts_with("threadgroup_position_in") || name == "threadgroups_per_grid" ||
                            name == "grid_origin";
      const std::uint64_t count = in_space ? components_of(one.declaration->getType()) : 0;
      std::uint64_t& first = name.starts_with("threadgroup") ? of_groups : of_threads;
      if (count == 0) continue;
      if (first == 0) first = count;
      if (count != first)
        say(*one.declaration, "[[" + one.kind +
                                  "]]: expecting input declarations with either all scalar types or "
                                  "all vector types with the same number of elements");
    }
  }

  void check(const Parameter& parameter) {
    if (parameter.table.empty() || parameter.kind == "absent") return;
    const std::int64_t last = parameter.table == "sampler" ? 15 : 30;
    const std::string what = "`" + name_of(*parameter.declaration) + "`: [[" + shown(parameter) + "]] is ";
    if (*parameter.index < 0 || *parameter.index + parameter.places - 1 > last)
      say(*parameter.declaration, what + "out of range; indices are 0 to " + std::to_string(last));
    for (const Parameter* other = parameters_.data(); other != &parameter; ++other) {
      if (other->table != parameter.table || other->kind == "absent") continue;
      if (*other->index >= *parameter.index + parameter.places ||
          *parameter.index >= *other->index + other->places)
        continue;
      return say(*parameter.declaration, what + "taken by an earlier parameter");
    }
  }

  // "buffer(kFirst)", as it is written.
  std::string shown(const Parameter& parameter) const {
    const AnnotateAttr* const meaning = meaning_of(*parameter.declaration);
    if (meaning == nullptr || meaning->args_size() == 0)
      return parameter.table + "(" + std::to_string(*parameter.index) + ")";
    const SourceManager& sources = context_.getSourceManager();
    const auto text = Lexer::getSourceText(CharSourceRange::getTokenRange(meaning->getRange()), sources,
                                           context_.getLangOpts());
    return parameter.table + text.substr(std::min(text.find('('), text.size())).str();
  }

  ASTContext& context_;
  const FunctionDecl& kernel_;
  const std::string& limit_;
  const LeftOut& left_out_;
  const bool all_coherent_;
  std::vector<Diagnostic>& errors_;
  PrintingPolicy policy_;
  std::vector<Parameter> parameters_;
};

}  // namespace

std::string entry_of(ASTContext& context, const Kernel& kernel, const LeftOut& left_out,
                     const std::set<std::uint32_t>& constants, const std::vector<std::string>& slots,
                     bool all_coherent, std::vector<Diagnostic>& errors) {
  return EntryWriter(context, kernel, left_out, all_coherent, errors).write(constants, slots);
}

}  // namespace assay::metal
