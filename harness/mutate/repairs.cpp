// What may put a faulty kernel right and is no fault of its own kind: initial values, wider types, stronger
// barriers and fences.
#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "harness/metal/text/grammar.hpp"
#include "harness/mutate/mutation.hpp"

namespace assay::mutate {
namespace {

struct Stronger {
  const char* kind;
  std::vector<const char*> with;
};

const std::map<std::string, Stronger, std::less<>> kStronger = {
    {"half", {"precision", {"float"}}},
    {"half2", {"precision", {"float2"}}},
    {"half4", {"precision", {"float4"}}},
    {"simdgroup_half8x8", {"precision", {"simdgroup_float8x8"}}},
    {"ushort", {"precision", {"uint"}}},
    {"short", {"precision", {"int"}}},
    {"uint", {"precision", {"ulong"}}},
    {"simdgroup_barrier", {"barrier", {"threadgroup_barrier"}}},
    {"mem_none", {"barrier", {"mem_threadgroup", "mem_device"}}},
    {"mem_device", {"barrier", {"mem_threadgroup"}}},
    {"mem_threadgroup", {"barrier", {"mem_device"}}},
    {"memory_order_relaxed", {"fence", {"memory_order_seq_cst"}}},
    {"thread_scope_threadgroup", {"fence", {"thread_scope_device"}}},
};

constexpr const char* kBarrier = " metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup); ";

class RepairFinder {
 public:
  explicit RepairFinder(const metal::Grammar& g) : g_(g) {}

  std::vector<Mutation> run() {
    for (std::size_t i = 0; i < g_.size(); ++i) {
      if (!g_.open(i)) continue;
      if (g_[i].is_word()) stronger(i);
      // T name; -> T name = {};  and so for arrays. Memory of a threadgroup takes no initial value.
      if (g_.is(i, ";") && g_.unset(i)) replace("initial value", i, " = {};");
      if (g_.is(i, "[") && g_.subscript(i)) index(i);
      if (g_.is(i, "}") && (g_.is(g_.previous(i), ";") || g_.is(g_.previous(i), "}"))) barrier(i);
    }
    for (const auto& statement : g_.statements()) {
      const auto before = g_.previous(statement.begin);
      const bool listed = g_.is(before, ";") || g_.is(before, "{") || g_.is(before, "}");
      if (listed) barrier(statement.begin);
    }
    return std::move(found_);
  }

 private:
  void replace(const char* kind, std::size_t i, std::string with) {
    found_.push_back({kind, {{{i, i + 1}, std::move(with)}}});
  }

  void stronger(std::size_t i) {
    const auto known = kStronger.find(g_[i].text);
    if (known == kStronger.end()) return;
    for (const char* with : known->second.with) replace(known->second.kind, i, with);
  }

  // a[i] -> a[i - 1]
  void index(std::size_t open) {
    const auto close = metal::closing_bracket(g_.tokens(), open);
    if (close < g_.size()) replace("index", close, " - 1]");
  }

  void barrier(std::size_t i) {
    if (g_.in_body(i)) replace("barrier", i, kBarrier + g_[i].text);
  }

  const metal::Grammar& g_;
  std::vector<Mutation> found_;
};

}  // namespace

std::vector<Mutation> repairs_of(const metal::TokenText& text, const std::vector<bool>& live,
                                 const metal::Syntax& syntax) {
  const metal::Grammar grammar(text, live, syntax);
  auto all = mutations_of(text, live, syntax);
  auto more = RepairFinder(grammar).run();
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first_token() < b.first_token(); });
  return all;
}

}  // namespace assay::mutate
