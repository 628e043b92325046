#include "harness/metal/clang/thread_places.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <map>
#include <optional>
#include <set>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/used_code.hpp"

namespace assay::metal {
namespace {

using namespace clang;
using Functions = std::vector<const FunctionDecl*>;

constexpr llvm::StringRef kSimdgroup = "simdgroup_index_in_threadgroup";
constexpr std::int64_t kLanes = 32, kLanesShift = 5;
// So often is a place handed on.
constexpr unsigned kMostHands = 4;

// What gets another value than its first.
class Changed : public RecursiveASTVisitor<Changed> {
 public:
  explicit Changed(const Functions& functions) {
    for (const FunctionDecl* one : functions) TraverseStmt(one->getBody());
  }
  bool holds(const VarDecl& one) const { return all_.contains(&one); }

  bool VisitBinaryOperator(BinaryOperator* one) {
    if (one->isAssignmentOp()) note(one->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* one) {
    if (one->isIncrementDecrementOp() || one->getOpcode() == UO_AddrOf) note(one->getSubExpr());
    return true;
  }

 private:
  void note(const Expr* to) {
    if (const Components part = components_in(to); part.vector != nullptr) to = part.vector;
    if (const VarDecl* changed = variable_in(to)) all_.insert(changed);
  }

  std::set<const VarDecl*> all_;
};

// Which expressions are places of a thread.
class SharePlaces : public RecursiveASTVisitor<SharePlaces> {
 public:
  SharePlaces(const Functions& functions, const Changed& changed) : changed_(changed) {
    for (const ParmVarDecl* one : functions.front()->parameters()) {
      const AnnotateAttr* const meaning = meaning_of(*one);
      if (meaning != nullptr && !changed.holds(*one))
        known_[one] = {meaning->getAnnotation().str(), one->getNameAsString(), 0};
    }
    for (unsigned i = 0; i < kMostHands; ++i)
      for (const FunctionDecl* one : functions) TraverseStmt(one->getBody());
  }

  ThreadPlace of(const Expr* one) const {
    one = bare(one);
    if (const VarDecl* named = variable_in(one)) {
      const auto known = known_.find(named);
      return known == known_.end() ? ThreadPlace() : known->second;
    }
    const Components component = components_in(one);
    if (component.vector == nullptr || component.letters.size() != 1 || !component.last()) return {};
    ThreadPlace place = of(component.vector);
    if (place.attribute.empty() || *component.last() > 2) return {};
    place.axis = *component.last();
    place.text += "." + component.letters.str();
    return place;
  }

  bool VisitVarDecl(VarDecl* one) {
    if (const Expr* const value = one->getInit()) hand_on(*one, *value);
    return true;
  }
  bool VisitCallExpr(CallExpr* call) {
    const FunctionDecl* called = call->getDirectCallee();
    if (called == nullptr || isa<CXXOperatorCallExpr>(call) || !called->hasBody(called)) return true;
    const unsigned count = std::min(call->getNumArgs(), called->getNumParams());
    for (unsigned i = 0; i < count; ++i) hand_on(*called->getParamDecl(i), *call->getArg(i));
    return true;
  }

 private:
  // One that is called by several places is none.
  void hand_on(const VarDecl& to, const Expr& value) {
    if (changed_.holds(to)) return;
    const ThreadPlace place = of(&value);
    if (isa<ParmVarDecl>(to)) {
      const auto known = known_.find(&to);
      const bool another = known != known_.end() &&
                           (known->second.attribute != place.attribute || known->second.axis != place.axis);
      if (another || place.attribute.empty()) {
        if (meaning_of(cast<ParmVarDecl>(to)) != nullptr) return;
        known_.erase(&to);
        none_.insert(&to);
      }
    }
    if (!place.attribute.empty() && !none_.contains(&to)) known_.emplace(&to, place);
  }

  const Changed& changed_;
  std::map<const VarDecl*, ThreadPlace> known_;
  std::set<const VarDecl*> none_;
};

class Shares : public RecursiveASTVisitor<Shares> {
 public:
  Shares(const ASTContext& context, const Functions& functions, Outline& outline)
      : context_(context), changed_(functions), places_(functions, changed_), outline_(outline) {
    for (const FunctionDecl* one : functions) TraverseStmt(one->getBody());
    for (auto& [variable, array] : arrays_) {
      if (!array.chosen_by.empty() || array.of_simdgroups) outline.arrays.push_back(std::move(array));
    }
  }

  bool VisitForStmt(ForStmt* loop) {
    for (const Expr* each : parts_of(loop->getInc())) stride(*loop, each);
    return true;
  }

  // Of a sum each addend that is a place, and the product beside it.
  bool VisitBinaryOperator(BinaryOperator* one) {
    if (one->getOpcode() == BO_Add && one->getType()->isPointerType())
      return element(one->getLHS(), {one->getRHS()}), true;
    if (one->getOpcode() != BO_Add || inner_sums_.contains(one)) return true;
    std::vector<const Expr*> addends;
    add_addends(one, addends);
    for (std::size_t i = 0; i < addends.size(); ++i) {
      const ThreadPlace place = places_.of(addends[i]);
      if (place.attribute.empty()) continue;
      if (i > 0 && begin(place, addends[i - 1])) continue;
      if (i + 1 < addends.size()) begin(place, addends[i + 1]);
    }
    return true;
  }

  bool VisitArraySubscriptExpr(ArraySubscriptExpr* one) {
    std::vector<const Expr*> indices;
    const Expr* base = one;
    while (const auto* inner = dyn_cast<ArraySubscriptExpr>(bare(base))) {
      indices.insert(indices.begin(), inner->getIdx());
      base = inner->getBase();
    }
    element(base, indices);
    return true;
  }

 private:
  static std::vector<const Expr*> parts_of(const Expr* list) {
    if (list == nullptr) return {};
    const auto* const comma = dyn_cast<BinaryOperator>(bare(list));
    if (comma == nullptr || comma->getOpcode() != BO_Comma) return {bare(list)};
    auto all = parts_of(comma->getLHS());
    for (const Expr* one : parts_of(comma->getRHS())) all.push_back(one);
    return all;
  }

  void stride(const ForStmt& loop, const Expr* step) {
    const auto* const added = dyn_cast<CompoundAssignOperator>(step);
    if (added == nullptr || added->getOpcode() != BO_AddAssign) return;
    const VarDecl* const variable = variable_in(added->getLHS());
    const Expr* const first = variable == nullptr ? nullptr : first_value(loop, *variable);
    if (first == nullptr) return;
    OutlinedStride found;
    found.variable = variable->getNameAsString();
    found.place = places_.of(first);
    const auto* const product = dyn_cast<BinaryOperator>(bare(first));
    if (found.place.attribute.empty() && product != nullptr && product->getOpcode() == BO_Mul) {
      found.place = places_.of(product->getLHS());
      found.each = whole_number(product->getRHS(), context_).value_or(0);
    }
    if (found.place.attribute.empty() || found.each < 1) return;
    const Expr* const by = origin(added->getRHS());
    found.by_value = whole_number(added->getRHS(), context_).value_or(0);
    found.by = words_of(bare(added->getRHS()), context_);
    if (found.by_value == 0) {
      if (const auto* field = dyn_cast<MemberExpr>(by)) found.by = field->getMemberDecl()->getNameAsString();
      if (const VarDecl* scalar = variable_in(by)) found.by = scalar->getNameAsString();
      found.by_scalar =
          (isa<MemberExpr>(by) || variable_in(by) != nullptr) && places_.of(by).attribute.empty();
    }
    outline_.strides.push_back(std::move(found));
  }

  // Of what a variable was made, which keeps its value.
  const Expr* origin(const Expr* one) const {
    one = bare(one);
    for (unsigned i = 0; i < kMostHands; ++i) {
      const VarDecl* const named = variable_in(one);
      if (named == nullptr || isa<ParmVarDecl>(named) || !named->hasInit() || changed_.holds(*named)) break;
      one = bare(named->getInit());
    }
    return one;
  }

  static const Expr* first_value(const ForStmt& loop, const VarDecl& variable) {
    if (const auto* assigned = dyn_cast_or_null<BinaryOperator>(loop.getInit());
        assigned != nullptr && assigned->getOpcode() == BO_Assign &&
        variable_in(assigned->getLHS()) == &variable)
      return assigned->getRHS();
    return variable.getInit();
  }

  void add_addends(const BinaryOperator* sum, std::vector<const Expr*>& all) {
    for (const Expr* side : {sum->getLHS(), sum->getRHS()}) {
      const auto* const inner = dyn_cast<BinaryOperator>(bare(side));
      if (inner != nullptr && inner->getOpcode() == BO_Add) {
        inner_sums_.insert(inner);
        add_addends(inner, all);
      } else {
        all.push_back(side);
      }
    }
  }

  bool begin(const ThreadPlace& place, const Expr* product) {
    const auto* const made = dyn_cast<BinaryOperator>(bare(product));
    if (made == nullptr || made->getOpcode() != BO_Mul) return false;
    const auto left = whole_number(made->getLHS(), context_), right = whole_number(made->getRHS(), context_);
    if (left.has_value() == right.has_value()) return false;
    const Expr* const number = bare(left ? made->getLHS() : made->getRHS());
    const Expr* const of = bare(left ? made->getRHS() : made->getLHS());
    const ThreadPlace of_place = places_.of(of);
    outline_.begins.push_back({place, of_place,
                               of_place.attribute.empty() ? words_of(of, context_) : of_place.text,
                               words_of(number, context_), left ? *left : *right});
    return true;
  }

  // `x[...]` and `x + ...`, of an array in threadgroup memory.
  void element(const Expr* base, const std::vector<const Expr*>& indices) {
    const VarDecl* const variable = variable_in(base);
    if (variable == nullptr || isa<ParmVarDecl>(variable)) return;
    OutlinedArray& array = arrays_[variable];
    if (array.name.empty()) describe(*variable, array);
    for (std::size_t side = 0; side < std::min(indices.size(), array.sides.size()); ++side) {
      const ThreadPlace place = places_.of(indices[side]);
      if (place.attribute == kSimdgroup || is_simdgroup(indices[side])) array.of_simdgroups = true;
      if (!place.attribute.empty() && place.attribute != kSimdgroup)
        array.chosen_by.emplace_back(static_cast<unsigned>(side), place);
    }
  }

  // `thread / 32`, `thread >> 5`
  bool is_simdgroup(const Expr* index) const {
    const auto* const made = dyn_cast<BinaryOperator>(bare(index));
    if (made == nullptr || places_.of(made->getLHS()).attribute.empty()) return false;
    const auto by = whole_number(made->getRHS(), context_);
    return (made->getOpcode() == BO_Div && by == kLanes) ||
           (made->getOpcode() == BO_Shr && by == kLanesShift);
  }

  void describe(const VarDecl& variable, OutlinedArray& array) const {
    array.name = variable.getNameAsString();
    if (!has_word(variable, "threadgroup")) return;
    QualType type = variable.getType();
    while (const auto* level = context_.getAsConstantArrayType(type)) {
      array.sides.push_back(static_cast<std::int64_t>(level->getSize().getZExtValue()));
      type = level->getElementType();
    }
  }

  // In the order of the text.
  struct ByPlace {
    bool operator()(const VarDecl* a, const VarDecl* b) const { return a->getLocation() < b->getLocation(); }
  };

  const ASTContext& context_;
  const Changed changed_;
  const SharePlaces places_;
  Outline& outline_;
  std::map<const VarDecl*, OutlinedArray, ByPlace> arrays_;
  std::set<const BinaryOperator*> inner_sums_;
};

}  // namespace

void outline_shares(const ASTContext& context, const Functions& functions, Outline& outline) {
  const Shares all(context, functions, outline);
}

}  // namespace assay::metal
