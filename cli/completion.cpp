#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace assay::cli {
namespace {

// Cases of the script, by command: "golden make".
struct Cases {
  std::vector<std::string> paths;  // patterns of commands that are recognised
  std::string values, words;       // of `case` in the script
};

void add(const CommandWords& command, const std::string& path, Cases& cases) {
  std::vector<std::string> words;
  for (const auto& one : command.commands) words.push_back(one.name);
  for (const auto& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
    if (!option.takes_value) continue;
    std::vector<std::string> patterns;
    for (const auto& name : option.names) patterns.push_back(fmt::format("'{}:{}'", path, name));
    const std::string reply =
        option.choices.empty() ? "compgen -f -- \"$word\""
                               : fmt::format("compgen -W '{}' -- \"$word\"", fmt::join(option.choices, " "));
    cases.values +=
        fmt::format("    {}) mapfile -t COMPREPLY < <({}); return ;;\n", fmt::join(patterns, "|"), reply);
  }
  cases.words += fmt::format("    '{}') words='{}' kernels={} ;;\n", path, fmt::join(words, " "),
                             command.takes_kernels ? 1 : 0);
  for (const auto& one : command.commands) {
    const std::string below = path.empty() ? one.name : path + " " + one.name;
    cases.paths.push_back(fmt::format("'{}'", below));
    add(one, below, cases);
  }
}

// {0}: commands; {1}: values of options; {2}: words of commands.
constexpr const char* kScript = R"sh(_assay() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path= manifest=() words= kernels=0 i next
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    next=${{path:+$path }}${{COMP_WORDS[i]}}
    case $next in {}) path=$next ;; esac
    [ "${{COMP_WORDS[i]}}" = --manifest ] && manifest=(--manifest "${{COMP_WORDS[i+1]}}")
  done
  case $path:$before in
{}  esac
  case $path in
{}  esac
  case $word in
    -*) ;;
    *) [ $kernels = 1 ] && words+=" $("${{COMP_WORDS[0]}}" list --names "${{manifest[@]}}" 2> /dev/null)" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _assay assay
)sh";

}  // namespace

std::string completion_script(const CommandWords& program, const std::string& shell) {
  Cases cases;
  add(program, "", cases);
  std::string script =
      fmt::format(fmt::runtime(kScript), fmt::join(cases.paths, "|"), cases.values, cases.words);
  // zsh completes by scripts of bash, but for an array that counts from 1 and a builtin that it lacks.
  if (shell != "zsh") return script;
  std::string for_zsh = script;
  const auto replace = [&](const std::string& what, const std::string& with) {
    for (std::size_t at = 0; (at = for_zsh.find(what, at)) != for_zsh.npos; at += with.size())
      for_zsh.replace(at, what.size(), with);
  };
  replace("mapfile -t COMPREPLY < <(", "COMPREPLY=(${(f)\"$(");
  replace(" -- \"$word\"); return", " -- \"$word\")\"}); return");
  replace(" -- \"$word\")\n", " -- \"$word\")\"})\n");
  return "autoload -Uz bashcompinit && bashcompinit\n" + for_zsh;
}

}  // namespace assay::cli
