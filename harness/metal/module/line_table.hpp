// Which source line a code address of a compiled kernel belongs to: its DWARF line table, read with libdw.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::metal {

/// What compiled code calls folders, whatever they are called where it is compiled: the one that relative
/// names are relative to, and that of the stand-in headers, which are no place of a kernel's.
inline constexpr const char* kRelativePlaces = "assay-relative";
inline constexpr const char* kLibraryPlaces = "assay-library";

/// A line of a file, as the compiler named it.
struct CodeLine {
  std::string file;
  std::uint32_t line = 0;
};

class LineTable {
 public:
  /// Of a whole object file, byte for byte. One that has no line table, or a damaged one, knows no line.
  explicit LineTable(std::string object);
  ~LineTable();
  LineTable(const LineTable&) = delete;
  LineTable& operator=(const LineTable&) = delete;

  /// The line of an address in the object, then the calls that were inlined around it, innermost first.
  /// Neither opens files nor starts programs. Not thread-safe.
  std::vector<CodeLine> lines_at(std::uint64_t address) const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace assay::metal
