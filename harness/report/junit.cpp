#include "harness/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "harness/report/fields.hpp"

namespace assay::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0;
  double seconds = 0;
};

Counts count(const Verified& verified) {
  Counts counts;
  for (const auto& kernel : verified.kernels) {
    for (const auto& mode : kernel.report.modes) {
      const int status = assay::exit_status(mode.verdict);
      ++counts.tests;
      counts.failures += status == 1;
      counts.errors += status == 2;
      counts.seconds += mode.seconds;
    }
  }
  return counts;
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(xml_characters(value).c_str());
}

void set_seconds(pugi::xml_node node, double seconds) { set(node, "time", fmt::format("{:.3f}", seconds)); }

void add_test(pugi::xml_node suite, const KernelResult& kernel, const run::ModeReport& mode) {
  auto test = suite.append_child("testcase");
  set(test, "name", name_of(mode.mode));
  set(test, "classname", kernel.name);
  set_seconds(test, mode.seconds);
  const int status = assay::exit_status(mode.verdict);
  if (status == 0) return;
  auto fault = test.append_child(status == 1 ? "failure" : "error");
  set(fault, "message", mode.summary);
  set(fault, "type", assay::name_of(mode.verdict));
  fault.text().set(xml_characters(mode.text.empty() ? mode.summary : mode.text).c_str());
}

void add_property(pugi::xml_node properties, const char* name, const std::string& value) {
  auto property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

}  // namespace

std::string xml_characters(std::string_view text) {
  using nlohmann::json;
  // The one thing that the library replaces for us: bytes that are no UTF-8.
  const auto quoted = json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
  const auto valid = json::parse(quoted).get<std::string>();
  std::string out;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const auto rest = std::string_view(valid).substr(i);
    if (byte < 0x20 && byte != '\t' && byte != '\n') {
      out += kReplacement;
    } else if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {  // no characters
      out += kReplacement;
      i += 2;
    } else {
      out += valid[i];
    }
  }
  return out;
}

std::string junit_text(const Results& results, const std::string& timestamp) {
  const auto* verified = std::get_if<Verified>(&results.found);
  if (verified == nullptr)
    throw ReportError(fmt::format("--junit: is for results of verify, these are of {}", results.run.command));
  const Counts counts = count(*verified);
  pugi::xml_document document;
  auto suite = document.append_child("testsuites").append_child("testsuite");
  // All that some reader or other asks for.
  set(suite, "name", results.run.manifest);
  set(suite, "package", "assay");
  suite.append_attribute("id").set_value(0);
  set(suite, "timestamp", timestamp);
  set(suite, "hostname", "localhost");
  suite.append_attribute("tests").set_value(counts.tests);
  suite.append_attribute("failures").set_value(counts.failures);
  suite.append_attribute("errors").set_value(counts.errors);
  suite.append_attribute("skipped").set_value(0);
  set_seconds(suite, counts.seconds);
  auto properties = suite.append_child("properties");
  add_property(properties, "assay", results.run.assay);
  add_property(properties, "shard", to_text(results.shard));
  for (const auto& [name, value] : results.run.settings.items()) {
    add_property(properties, name.c_str(),
                 value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  for (const auto& kernel : verified->kernels) {
    for (const auto& mode : kernel.report.modes) add_test(suite, kernel, mode);
  }
  suite.append_child("system-out");
  suite.append_child("system-err");
  std::ostringstream out;
  document.save(out, " ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace assay::report
