// A shared object, loaded from memory: the bytes that were looked at are those that are loaded.
#pragma once

#include <string>

namespace assay::metal {

class LoadedObject {
 public:
  /// `bytes`: of an object that guarded_object() let pass. No file of that content stands anywhere that
  /// another could write to it: they go into memory that is sealed before the loader sees it. Throws
  /// ToolchainError.
  explicit LoadedObject(std::string bytes);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  void* handle() const { return handle_; }  ///< of dlopen()
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  void* handle_ = nullptr;
};

}  // namespace assay::metal
