// Places of a kernel's text, as the hooks of its code name them: by the address of a record in its object.
#pragma once

#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::metal {

/// The records of a module. Read again by SiteTable (harness/metal/module/site_table.hpp), which knows the
/// layout:
///   assay_site_files  names, each ended by a zero
///   assay_sites       {file, line, column, outer}, each of 32 bits: an offset in the names; outer is the
///                     number of another record, from 1, or 0
///   assay_loops       {file, first line, last line, 1 where it calls one function at most}, of the text
class Sites {
 public:
  /// `library`: the folder of the stand-in headers, which are no place of the kernel's.
  Sites(llvm::Module& module, std::string library);

  /// The address of the record of that place, and of the calls that were inlined around it.
  llvm::Constant* at(const llvm::DebugLoc& where);

  const std::string& library() const { return library_; }

  /// Writes the records; without `places`, as many that are empty. Nothing is asked for behind this.
  void finish(bool places);

 private:
  struct Record {
    std::uint32_t file = 0, line = 0, column = 0, outer = 0;
    auto operator<=>(const Record&) const = default;
  };

  std::uint32_t number_of(const llvm::DILocation* where);
  std::uint32_t file_of(const std::string& name);
  llvm::GlobalVariable* loops();

  llvm::Module& module_;
  std::string library_, names_;
  std::map<std::string, std::uint32_t> files_;
  std::map<Record, std::uint32_t> numbers_;
  std::vector<Record> records_;
  llvm::GlobalVariable* table_;
};

}  // namespace assay::metal
