#include "harness/metal/call_graph.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "harness/metal/errors.hpp"

namespace assay::metal {
namespace {

constexpr const char* kIndirect = "__indirect_call";

struct CallPlace {
  std::string file;
  std::uint32_t line = 0;
};

struct CalledFunction {
  std::string name;  ///< as the text has it, with its parameters
  CallPlace declared;
  bool defined = false;
};
struct Call {
  std::string from, to;
  CallPlace place;
};

// The value behind `key: "..."` in a line of the file, with \n, \" and \\ read.
std::optional<std::string> quoted_value(std::string_view line, std::string_view key) {
  const auto at = line.find(std::string(key) + ": \"");
  if (at == line.npos) return std::nullopt;
  std::string text;
  for (auto i = at + key.size() + 3; i < line.size() && line[i] != '"'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      text += line[i] == 'n' ? '\n' : line[i];
    } else {
      text += line[i];
    }
  }
  return text;
}

// "folder/file:12:8" -> file and line
CallPlace call_place(std::string_view text) {
  const auto column = text.rfind(':');
  if (column == text.npos || column == 0) return {};
  const auto line = text.rfind(':', column - 1);
  if (line == text.npos) return {};
  CallPlace place{std::string(text.substr(0, line)), 0};
  std::from_chars(text.data() + line + 1, text.data() + column, place.line);
  return place;
}

// "file.cpp:_ZL1f" -> _ZL1f: how functions of one file are called
std::string symbol_of_title(const std::string& title) { return title.substr(title.rfind(':') + 1); }

class CallGraph {
 public:
  explicit CallGraph(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      const auto line = text.substr(0, end);
      if (line.starts_with("node: ")) node(line);
      if (line.starts_with("edge: ")) edge(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const std::map<std::string, CalledFunction>& functions() const { return functions_; }
  const std::vector<Call>& calls() const { return calls_; }

  /// A call that closes a cycle.
  const Call* cycle() const {
    std::map<std::string, std::vector<const Call*>> from;
    for (const auto& call : calls_) from[call.from].push_back(&call);
    std::set<std::string> done, under_way;
    struct Step {
      std::string name;
      std::size_t next = 0;
    };
    for (const auto& [name, function] : functions_) {
      std::vector<Step> way;
      if (!done.contains(name)) way.push_back({name});
      under_way = {name};
      while (!way.empty()) {
        auto& [at, next] = way.back();
        const auto& calls = from[at];
        if (next == calls.size()) {
          done.insert(at);
          under_way.erase(at);
          way.pop_back();
          continue;
        }
        const Call* const call = calls[next++];
        if (under_way.contains(call->to)) return call;
        if (done.contains(call->to)) continue;
        under_way.insert(call->to);
        way.push_back({call->to});
      }
    }
    return nullptr;
  }

 private:
  void node(std::string_view line) {
    const auto title = quoted_value(line, "title"), label = quoted_value(line, "label");
    if (!title || !label) return;
    const auto cut = std::min(label->find('\n'), label->size());
    const auto rest = cut < label->size() ? std::string_view(*label).substr(cut + 1) : std::string_view();
    functions_[*title] = {label->substr(0, cut), call_place(rest.substr(0, rest.find('\n'))),
                          line.find("shape : ellipse") == line.npos};
  }
  void edge(std::string_view line) {
    const auto from = quoted_value(line, "sourcename"), to = quoted_value(line, "targetname");
    if (from && to) calls_.push_back({*from, *to, call_place(quoted_value(line, "label").value_or(""))});
  }

  std::map<std::string, CalledFunction> functions_;
  std::vector<Call> calls_;
};

bool belongs_to_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$';
}

// What may name a function without taking its address: branches, and what says what kind of symbol it is.
bool names_functions(std::string_view word) {
  if (word.starts_with(".")) return word != ".quad" && word != ".long" && word != ".xword" && word != ".word";
  // x86: call, jmp, je ...; AArch64: bl, b, b.eq, cbz, tbz ...
  return word.starts_with("call") || word.starts_with("j") || word == "b" || word == "bl" ||
         word.starts_with("b.") || word.starts_with("cb") || word.starts_with("tb");
}

// The first symbol of `functions` whose address a listing takes.
const CalledFunction* address_taken(std::string_view listing,
                                    const std::map<std::string_view, const CalledFunction*>& functions) {
  bool apart = false;  // in a section that is not the kernel's: of debuggers, or discarded when it is linked
  while (!listing.empty()) {
    const auto end = std::min(listing.find('\n'), listing.size());
    auto line = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    const auto word = line.substr(0, line.find_first_of(" \t"));
    if (word == ".section") apart = line.find(".debug") != line.npos || line.find(".init_array") != line.npos;
    if (word == ".text" || word == ".data" || word == ".bss") apart = false;
    if (apart || word.empty() || word.ends_with(":") || names_functions(word)) continue;
    if (line.find(' ') == line.npos && line.find('\t') == line.npos) continue;
    for (std::size_t i = word.size(); i < line.size();) {
      if (!belongs_to_symbol(line[i])) {
        ++i;
        continue;
      }
      const auto begin = i;
      while (i < line.size() && belongs_to_symbol(line[i])) ++i;
      const auto found = functions.find(line.substr(begin, i - begin));
      if (found != functions.end()) return found->second;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<CallFault> call_fault(const std::string& graph, const std::string& listing) {
  const CallGraph all(graph);
  for (const auto& call : all.calls()) {
    if (call.to != kIndirect) continue;
    return CallFault{call.place.file, call.place.line,
                     "a function is called through a pointer; Metal has no pointers to functions"};
  }
  if (const Call* const call = all.cycle()) {
    // Of calls that were inlined into one another g++ does not always know the place.
    const CalledFunction& called = all.functions().at(call->to);
    const CallPlace& place = call->place.line != 0 ? call->place : called.declared;
    return CallFault{place.file, place.line,
                     fmt::format("`{}` calls itself{}; Metal has no recursion", called.name,
                                 call->from == call->to ? "" : " by way of others")};
  }
  std::map<std::string_view, const CalledFunction*> functions;
  std::vector<std::string> symbols;
  symbols.reserve(all.functions().size());
  for (const auto& [title, function] : all.functions()) {
    if (!function.defined) continue;
    symbols.push_back(symbol_of_title(title));
    functions[symbols.back()] = &function;
  }
  if (const CalledFunction* const function = address_taken(listing, functions)) {
    return CallFault{function->declared.file, function->declared.line,
                     fmt::format("the address of `{}` is used as a value; Metal has no pointers to functions",
                                 function->name)};
  }
  return std::nullopt;
}

void refuse_calls(const std::string& graph, const std::string& listing, const std::filesystem::path& stdlib,
                  const std::string& source) {
  const auto fault = call_fault(graph, listing);
  if (!fault) return;
  const bool known = !fault->file.empty() && !fault->file.starts_with(stdlib.string());
  throw CompileError(known ? fault->file : source, known ? fault->line : 0, fault->message);
}

}  // namespace assay::metal
