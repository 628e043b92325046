// Values that the host gives before the kernel is compiled, and what follows from them at namespace scope.
#include <metal_stdlib>
using namespace metal;

#define SUMS 20
constant short stride [[function_constant(SUMS + 1)]];
constant bool doubled [[function_constant(SUMS + 2)]];
constant bool offset [[function_constant(SUMS + 3)]];
constant bool of_another_kernel [[function_constant(SUMS + 4)]];

constant uint given_rounds [[function_constant(1)]];
constant ushort given_shift [[function_constant(2)]];
constant float given_factor [[function_constant(3)]];
constant bool given_ahead [[function_constant(4)]];
constant uint rounds = is_function_constant_defined(given_rounds) ? given_rounds : 3;
constant ushort shift = is_function_constant_defined(given_shift) ? given_shift : 1;
constant bool scaled = is_function_constant_defined(given_factor);
constant float factor = scaled ? given_factor : 1.0f;
constant bool ahead = is_function_constant_defined(given_ahead) ? given_ahead : false;
constant uint terms = rounds * 2;

// Functions of Apple's compiler: declared, and called where a constant allows it alone.
struct copy_ticket;
thread copy_ticket *start_copy(threadgroup void *to, device const void *from, ulong bytes)
    __asm("air.conformance_start_copy");
void finish_copies(int count, thread copy_ticket **tickets) __asm("air.conformance_finish_copies");

kernel void sums_of_strides(device const int *in [[buffer(0)]],
                            device const int *offsets [[buffer(1), function_constant(offset)]],
                            device float *out [[buffer(2)]], constant int &count [[buffer(3)]],
                            threadgroup int *staged [[threadgroup(0)]],
                            uint i [[thread_position_in_threadgroup]]) {
  if (ahead) {
    thread copy_ticket *ticket = start_copy(staged, in, ulong(count) * sizeof(int));
    finish_copies(1, &ticket);
  } else {
    staged[i] = in[i];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int sum = 0;
  uint taken = 0;
  for (int k = int(i); k < count && taken < terms; k += stride, ++taken) sum += staged[k];
  if (doubled && !offset) {
    sum = sum * 2;
  } else if (offset || !doubled) {
    sum = offset ? sum + 1 : sum - 1;
  }
  if (offset) {
    sum += offsets[i];
  }
  out[i] = float(sum << shift) * factor;
}

kernel void another(device int *out) {
  out[0] = of_another_kernel ? 1 : 2;
}
