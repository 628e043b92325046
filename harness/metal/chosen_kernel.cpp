#include "harness/metal/chosen_kernel.hpp"

#include <algorithm>
#include <utility>

namespace assay::metal {
namespace {

using Words = std::vector<std::string>;

TokenRange from_angle(const std::vector<Token>& tokens, TokenRange range) {
  while (range.begin < range.end && !tokens[range.begin].is("<")) ++range.begin;
  return range;
}

// The types of a function's parameters, without their names.
std::vector<Words> types_of(const std::vector<Token>& tokens, const Declaration& declared,
                            const std::vector<KernelParameter>& parameters) {
  const auto ranges = parameter_ranges(tokens, *declared.parameters);
  std::vector<Words> types;
  for (std::size_t i = 0; i < parameters.size() && i < ranges.size(); ++i) {
    Words words = words_in(tokens, ranges[i]);
    const auto name = std::find(words.rbegin(), words.rend(), parameters[i].name);
    if (parameters[i].named && name != words.rend()) words.erase(std::next(name).base());
    types.push_back(std::move(words));
  }
  return types;
}

bool has_the_parameters(const TokenText& text, const std::vector<Declaration>& declarations,
                        const KernelFunction& function, const KernelInstantiation& instantiation) {
  const Declaration& declared = declarations[function.declaration];
  const Declaration& instantiated = declarations[instantiation.declaration];
  if (function.parameters.size() != instantiation.parameters.size()) return false;
  const auto given = template_arguments(text, declared, instantiation);
  auto types = types_of(text.tokens, declared, function.parameters);
  for (Words& type : types) {
    Words filled;
    for (const auto& word : type) {
      const auto argument = given.find(word);
      argument == given.end()
          ? filled.push_back(word)
          : void(filled.insert(filled.end(), argument->second.begin(), argument->second.end()));
    }
    type = std::move(filled);
  }
  return types == types_of(text.tokens, instantiated, instantiation.parameters);
}

}  // namespace

std::map<std::string, std::vector<std::string>> template_arguments(const TokenText& text,
                                                                   const Declaration& declared,
                                                                   const KernelInstantiation& instantiation) {
  std::map<std::string, Words> given;
  const auto header = from_angle(text.tokens, declared.template_header);
  if (header.begin == header.end) return given;
  const auto id = tokenize(instantiation.template_id, "").tokens;
  const auto arguments = ranges_in_angles(id, from_angle(id, {0, id.size()}).begin);
  std::size_t place = 0;
  for (const auto& parameter : ranges_in_angles(text.tokens, header.begin)) {
    const Words words = words_in(text.tokens, parameter);
    const auto end = std::find(words.begin(), words.end(), "=");
    if (end != words.begin()) {
      given[*std::prev(end)] = place < arguments.size() ? words_in(id, arguments[place])
                               : end != words.end()     ? Words(std::next(end), words.end())
                                                        : Words();
    }
    ++place;
  }
  return given;
}

ChosenKernel choose_kernel(const TokenText& text, const std::vector<Declaration>& declarations,
                           const KernelIndex& index, const std::string& name) {
  ChosenKernel chosen;
  for (const auto& one : index.instantiations) {
    if (one.host_name == name) chosen.instantiation = &one;
  }
  const auto* instantiation = chosen.instantiation;
  const auto matches = [&](const KernelFunction& one) {
    const std::string& bare = declarations[one.declaration].name;
    if (instantiation == nullptr)
      return !one.is_template && (one.host_name == name || one.name == name || bare == name);
    return one.is_template && bare == instantiation->function &&
           instantiation->arguments >= one.least_arguments && instantiation->arguments <= one.most_arguments;
  };
  std::vector<const KernelFunction*> candidates;
  for (const auto& one : index.functions) {
    if (matches(one)) candidates.push_back(&one);
  }
  for (const auto* one : candidates) {
    if (chosen.function == nullptr || one->host_name == name || one->name == name) chosen.function = one;
  }
  if (candidates.size() < 2 || instantiation == nullptr || instantiation->parameters.empty()) return chosen;
  for (const auto* one : candidates) {
    if (has_the_parameters(text, declarations, *one, *instantiation)) chosen.function = one;
  }
  return chosen;
}

}  // namespace assay::metal
