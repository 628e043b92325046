# cmake -DROOT=dir -DOUTPUT=file.cpp -DFILES="a;b" -P embed_stdlib.cmake: the files as a table of C++ strings.
set(table "")
foreach(name IN LISTS FILES)
  file(READ "${ROOT}/${name}" text)
  # A string literal is at most 64 KiB by the standard's reckoning: pieces of 12,000 bytes, joined by the compiler.
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 piece)
    string(APPEND pieces "R\"assay_text(${piece})assay_text\"\n")
    math(EXPR at "${at} + 12000")
  endwhile()
  string(APPEND table "    {\"${name}\", ${pieces}},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "#include \"harness/metal/compile/stdlib_files.hpp\"
namespace assay::metal {
namespace {
constexpr StdlibFile kFiles[] = {
${table}};
}  // namespace
std::span<const StdlibFile> stdlib_files() { return kFiles; }
}  // namespace assay::metal
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
