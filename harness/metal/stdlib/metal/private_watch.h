// Variables of a thread's own that the checker watches: what lowering puts behind their declarations
// (harness/metal/private_variables.hpp). Only in code that is compiled for that.
#pragma once
#pragma GCC system_header

namespace assay_msl {

/// From here to the end of its scope the checker knows the variable. Since its address is handed out, g++
/// announces every access to it.
struct private_watch {
  void* at = nullptr;

  template <class T>
  ASSAY_INLINE private_watch(T& variable, uint number, const char* name, uint line,
                             const char* file = __builtin_FILE()) {
    // What has a constructor has a value.
    if constexpr (__is_trivially_constructible(T)) {
      at = (void*)__builtin_addressof(variable);
      assay_private_begins(at, sizeof(T), number, name, line, file);
    }
  }
  ASSAY_INLINE ~private_watch() {
    if (at != nullptr) assay_private_ends(at);
  }
};

}  // namespace assay_msl
