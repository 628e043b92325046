#include "harness/report/page/layout.hpp"

#include <fmt/format.h>

#include "harness/report/page/assets.hpp"

namespace assay::report::page {
namespace {

Html head_of(const Frame& frame) {
  const auto policy =
      fmt::format("default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
                  policy_hash(style_sheet_sha256()), policy_hash(script_sha256()));
  return tag("head",
             {void_tag("meta", {{"charset", "utf-8"}}),
              void_tag("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}}),
              void_tag("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}),
              void_tag("meta", {{"name", "color-scheme"}, {"content", "light dark"}}),
              void_tag("meta", {{"name", "generator"}, {"content", "Assay " + frame.assay}}),
              void_tag("meta", {{"name", "referrer"}, {"content", "no-referrer"}}), tag("title", frame.title),
              tag("style", Html::own(style_sheet()))});
}

Html top_of(const Frame& frame) {
  Html links;
  for (const Link& link : frame.links) links += tag("a", {{"href", link.file}}, link.words);
  return tag(
      "header", {{"class", "top"}},
      tag("span", {tag("span", {{"class", "brand"}}, "Assay"), " " + frame.command}) +
          tag("nav", {{"aria-label", "Pages"}},
              links + tag("button", {{"type", "button"}, {"id", "theme"}, {"hidden", ""}}, "Dark colours")));
}

Html foot_of(const Frame& frame) {
  Html text = {"Written by Assay ", frame.assay, frame.written.empty() ? "" : ", " + frame.written, "."};
  if (!frame.json.empty())
    text += Html{" The same figures for programs: ", tag("a", {{"href", frame.json}}, frame.json), "."};
  return tag("footer", tag("p", text));
}

}  // namespace

std::string document(const Frame& frame, const Html& content) {
  const Html body = tag("body", {tag("a", {{"class", "skip"}, {"href", "#main"}}, "To the content"),
                                 top_of(frame), tag("main", {{"id", "main"}}, content), foot_of(frame),
                                 tag("p", {{"class", "hidden"}, {"role", "status"}, {"id", "copied"}}, ""),
                                 tag("script", Html::own(script()))});
  return "<!doctype html>\n" + tag("html", {{"lang", "en"}}, head_of(frame) + body).markup() + "\n";
}

}  // namespace assay::report::page
