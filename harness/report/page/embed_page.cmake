# cmake -DSTYLE=style.css -DSCRIPT=script.js -DOUTPUT=file.cpp -P embed_page.cmake: both as C++ strings, with digests.
function(literal file result)
  file(READ "${file}" text)
  # A string literal is at most 64 KiB by the standard's reckoning: pieces of 12,000 bytes, joined by the compiler.
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 piece)
    string(APPEND pieces "R\"assay_text(${piece})assay_text\"\n")
    math(EXPR at "${at} + 12000")
  endwhile()
  set(${result} "${pieces}" PARENT_SCOPE)
endfunction()
literal("${STYLE}" style)
literal("${SCRIPT}" script)
file(SHA256 "${STYLE}" style_sha256)
file(SHA256 "${SCRIPT}" script_sha256)
file(WRITE "${OUTPUT}.new" "#include \"harness/report/page/assets.hpp\"
namespace assay::report::page {
std::string_view style_sheet() { return
${style}; }
std::string_view script() { return
${script}; }
std::string_view style_sheet_sha256() { return \"${style_sha256}\"; }
std::string_view script_sha256() { return \"${script_sha256}\"; }
}  // namespace assay::report::page
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
