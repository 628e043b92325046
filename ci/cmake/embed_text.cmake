# cmake -DFILE=text -DOUTPUT=file.cpp -DNAMESPACE=a::b -DNAME=function -P embed_text.cmake: the text as a function
# that returns it.
file(READ "${FILE}" text)
file(WRITE "${OUTPUT}.new" "#include <string_view>
namespace ${NAMESPACE} {
std::string_view ${NAME}() {
  return R\"assay_text(${text})assay_text\";
}
}  // namespace ${NAMESPACE}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
