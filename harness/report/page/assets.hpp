// The style sheet and the script of a page, which CMake puts into the program (embed_page.cmake).
#pragma once

#include <string>
#include <string_view>

namespace assay::report::page {

std::string_view style_sheet();
std::string_view script();

/// Their SHA-256 in hexadecimal digits.
std::string_view style_sheet_sha256();
std::string_view script_sha256();

/// What a Content-Security-Policy calls a text with that digest: 'sha256-BASE64'.
std::string policy_hash(std::string_view sha256);

}  // namespace assay::report::page
