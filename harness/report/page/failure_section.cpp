#include "harness/report/page/failure_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "harness/report/page/source_view.hpp"
#include "harness/report/page/tile_map.hpp"
#include "harness/report/page/timeline.hpp"
#include "harness/run/replay_line.hpp"
#include "harness/verify/judge.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::report::page {
namespace {

// The text with a capital letter, to begin a sentence. If its first word is a name, such as a path or code,
// it stays as it is.
std::string capital(std::string text) {
  const std::string first = text.substr(0, text.find(' '));
  if (first.find_first_of("./_:`[") != std::string::npos) return text;
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// A line of a case as its parts: operation=gemm_fp4 K=33 ...
Html case_parts(const std::string& line) {
  Html items;
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find(' ', at), line.size());
    const auto field = line.substr(at, end - at);
    const auto equals = field.find('=');
    if (equals != std::string::npos) {
      items += tag("li", tag("b", field.substr(0, equals) + " = ") + field.substr(equals + 1));
    } else if (!field.empty()) {
      items += tag("li", field);
    }
    at = end + 1;
  }
  return tag("ul", {{"class", "dims"}}, items);
}

// All of each input that is small enough.
Html inputs_of(const Failure& failure) {
  if (failure.inputs.empty()) return {};
  Html items;
  for (const InputText& input : failure.inputs) {
    const auto head = fmt::format("{} [{}] {}: ", input.tensor, fmt::join(input.shape, ", "), input.dtype);
    items +=
        tag("li", tag("b", head) + (input.values.empty() ? assay::counted(input.elements(), "element")
                                                         : fmt::format("{}", fmt::join(input.values, ", "))));
  }
  return tag("p", {{"class", "small"}}, "Its inputs:") + tag("ul", {{"class", "dims"}}, items);
}

Html case_of(const Failure& failure, const std::string& pointer) {
  if (failure.test_case.empty()) return {};
  Html all = tag("h4", failure.shrunk ? "The smallest case that fails" : "The case");
  all += case_parts(failure.test_case) + inputs_of(failure);
  if (!failure.shrunk) return all;
  const auto& shrunk = *failure.shrunk;
  Html words = {"Case ", figure_of(shrunk.index, pointer + "/shrunk/index"), " failed first. "};
  if (shrunk.steps == 0) {
    words += "No simpler case fails: ";
  } else {
    words += Html{"It was made simpler in ", figure_of(shrunk.steps, pointer + "/shrunk/steps"),
                  shrunk.steps == 1 ? " step: " : " steps: "};
  }
  words += Html{figure_of(shrunk.tried, pointer + "/shrunk/tried"),
                shrunk.tried == 1 ? " was tried." : " were tried."};
  if (shrunk.unfinished)
    words += " Something smaller may still fail: a limit, a crash or a case without end stopped it.";
  return all + tag("p", {{"class", "small faint"}}, words);
}

Html fault_of(const device::Fault& fault, const Failure& failure, const std::string& pointer, Ids& ids) {
  Html head = {capital(std::string(name_of(verdict_of(fault.kind)))), " at ",
               tag("code", assay::to_text(fault.place))};
  if (fault.place.file.empty()) head = capital(std::string(name_of(verdict_of(fault.kind))));
  Html count = figure_of(fault.count, pointer + "/count");
  Html all = tag("h4", head);
  all += tag("p", {capital(fault.message), ". Times seen: ", count, "."});
  Html accesses;
  const Html drawn = timeline(fault, ids);
  for (const auto& access : fault.accesses)
    accesses += tag("li", {capital(access.what), " at ", tag("code", assay::to_text(access.place))});
  all += drawn;
  if (drawn.empty() && !accesses.empty()) all += tag("ul", {{"class", "findings small"}}, accesses);
  all += source_view(failure.sources, notes_of(fault));
  return all;
}

Html old_value_of(const device::OldValue& old, const Failure& failure, const std::string& pointer) {
  Html all = tag("h4", {"An old value of ", tag("code", old.object)});
  all += tag(
      "p", {figure_of(old.count, pointer + "/count"), old.count == 1 ? " atomic load" : " atomic loads",
            " gave a value that was older than the last one written. A GPU may do that where no fences with "
            "device scope order the write before the load."});
  all += source_view(failure.sources, {{old.load.place, "load"}, {old.change.place, "write"}});
  return all;
}

std::string shape_text(const WrongOutput& output) {
  std::string text;
  for (const auto side : output.shape) text += (text.empty() ? "" : " x ") + grouped(side);
  return text;
}

Html output_of(const WrongOutput& output, const std::string& pointer, bool small, Ids& ids) {
  Html head = {"Output ", tag("code", output.tensor), ": "};
  head += Html{figure_of(output.wrong, pointer + "/wrong"), " of ",
               figure_of(output.elements, pointer + "/elements"),
               output.elements == 1 ? " element is wrong" : " elements are wrong"};
  Html facts = {shape_text(output), " of ", output.dtype, "."};
  if (output.never_written > 0)
    facts +=
        Html{" ", figure_of(output.never_written, pointer + "/never_written"),
             output.never_written == 1 ? " of these was never written." : " of these were never written."};
  if (!output.rows.empty()) facts += Html{" Rows: ", output.rows, ". Columns: ", output.columns, "."};
  if (!output.bound.empty() && small) facts += Html{" Bound: ", output.bound, "."};
  Html all = tag(small ? "h4" : "h5", head) + tag("p", {{"class", "small"}}, facts) + tile_maps(output, ids);
  return small ? all + element_table(output) : all;
}

Html outputs_found(const Failure& failure, const std::string& pointer, Ids& ids) {
  if (failure.outputs_found.empty() || !failure.shrunk) return {};
  Html all = tag("h4", "As it was found, before it was made simpler") + case_parts(failure.shrunk->found);
  for (std::size_t i = 0; i < failure.outputs_found.size(); ++i)
    all += output_of(failure.outputs_found[i], fmt::format("{}/outputs_found/{}", pointer, i), false, ids);
  return all;
}

Html diagnosis_of(const Failure& failure) {
  if (failure.diagnosis.empty()) return {};
  Html items;
  for (const auto& finding : failure.diagnosis) items += tag("li", capital(finding));
  return tag("h4", "Diagnosis") + tag("ol", {{"class", "findings"}}, items);
}

Html seen_in(const run::ModeReport& mode, const Failure& failure, const std::string& pointer, Ids& ids) {
  Html all;
  for (std::size_t i = 0; i < failure.faults.size(); ++i) {
    const auto one = fault_of(failure.faults[i], failure, fmt::format("{}/faults/{}", pointer, i), ids);
    if (i == 0) {
      all += one;
    } else {
      const auto& fault = failure.faults[i];
      all += tag("details", {{"class", "fold print"}},
                 tag("summary", fmt::format("Seen as well: {} at {}", name_of(verdict_of(fault.kind)),
                                            assay::to_text(fault.place))) +
                     one);
    }
  }
  if (failure.more_faults > 0)
    all += tag("p", {"And ", figure_of(failure.more_faults, pointer + "/more_faults"),
                     " more faults at other lines."});
  for (std::size_t i = 0; i < failure.old_values.size(); ++i)
    all += old_value_of(failure.old_values[i], failure, fmt::format("{}/old_values/{}", pointer, i));
  for (std::size_t i = 0; i < failure.outputs.size(); ++i)
    all += output_of(failure.outputs[i], fmt::format("{}/outputs/{}", pointer, i), true, ids);
  all += outputs_found(failure, pointer, ids);
  Html remarks;
  for (const auto& remark : failure.remarks) remarks += tag("li", capital(remark));
  if (!remarks.empty()) all += tag("h4", "Seen as well") + tag("ul", {{"class", "findings"}}, remarks);
  if (failure.faults.empty() && mode.place)
    all += source_view(failure.sources, {{*mode.place, std::string(name_of(mode.verdict))}});
  return all;
}

}  // namespace

Html failure_section(const run::ModeReport& mode, const std::string& pointer, Ids& ids) {
  const bool unjudged = assay::exit_status(mode.verdict) == 2;
  Html all = tag("p", {{"class", unjudged ? "message unjudged-line" : "message"}}, capital(mode.summary));
  const auto failure_at = pointer + "/failure";
  if (mode.failure) {
    all += diagnosis_of(*mode.failure);
    all += case_of(*mode.failure, failure_at);
  }
  if (!mode.replay.empty())
    all += tag("h4", "See it again") + copied_line(run::replay_command(mode.replay), ids);
  if (mode.failure) all += seen_in(mode, *mode.failure, failure_at, ids);
  if (!mode.text.empty()) {
    all += tag(
        "details", {{"class", "fold"}},
        tag("summary", "The report as text") +
            tag("pre",
                {{"class", "text"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Report as text"}},
                mode.text));
  }
  return all;
}

}  // namespace assay::report::page
