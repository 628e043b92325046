// Addresses that become numbers (harness/metal/private_addresses.hpp).
#pragma once
#include "metal/type_traits.h"

namespace assay_msl {

template <class T>
ASSAY_INLINE constexpr T number_of(T value, uint line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  if constexpr (is_pointer_v<T>) assay_address_as_number((const void*)value, line, file);
  return value;
}

}  // namespace assay_msl
