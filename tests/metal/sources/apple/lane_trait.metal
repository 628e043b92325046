// loads
#include <metal_stdlib>
using namespace metal;
template <typename T, bool = __is_valid_simdgroup_type<T>::value> struct Lanes { static constexpr constant uint kind = 1; };
template <typename T> struct Lanes<T, false> { static constexpr constant uint kind = 2; };
struct Pair { float a, b; };
static_assert(__is_valid_simdgroup_type<half4>::value && !__is_valid_simdgroup_type<bool>::value, "");
kernel void kinds(device uint* out) { out[0] = Lanes<float>::kind * 10 + Lanes<Pair>::kind; }
