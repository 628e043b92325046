// Argument buffers: structs of pointers as shader translators, generators and people write them.
#include <metal_stdlib>
using namespace metal;

struct Lengths {
  uint count;
  float factor;
};

// A set of descriptors: every member with its [[id]].
struct Part {
  device float* values [[id(5)]];
  uint first [[id(6)]];
};
struct Set {
  device float* out [[id(0)]];
  constant Lengths* lengths [[id(1)]];
  device const float* rows[3] [[id(2)]];
  Part part;
  constant float4& bias [[id(7)]];
  atomic_uint device* visits [[id(8)]];
};

kernel void descriptors(constant Set& set [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (i >= set.lengths->count) return;
  float sum = set.bias[i % 4];
  for (uint r = 0; r < 3; ++r) sum += set.rows[r][i];
  set.part.values[set.part.first + i] = sum;
  set.out[i] = set.lengths->factor * sum;
  atomic_fetch_add_explicit(set.visits, 1u, memory_order_relaxed);
}

// A block of parameters: no [[id]], blocks in blocks, plain values between the pointers.
namespace generated {
template <class T>
struct Block {
  constant T* data;
};
typedef struct {
  uint stride;
  device half* values;
  ushort shift;
} Matrix;
struct Globals {
  Block<Lengths> lengths;
  Matrix a;
  const Matrix device* others;
  bool flip;
  float4 weights;
};
}  // namespace generated

kernel void blocks(constant generated::Globals* globals [[buffer(2)]], device float* out [[buffer(0)]],
                   uint i [[thread_position_in_grid]]) {
  const generated::Matrix other = globals->others[i % 2];
  const float a = globals->a.values[i * globals->a.stride + globals->a.shift];
  const float b = other.values[i * other.stride + other.shift];
  out[i] = (globals->flip ? -1.0f : 1.0f) * globals->lengths.data->factor * (a + b) * globals->weights[i % 4];
}

// Tables without bindings: structs in an array, addresses in an array, an address that is a number.
struct Tensor {
  device float* data;
  uint2 shape;
};

kernel void tensors(device const Tensor* all [[buffer(0)]], constant array<device float*, 2>& sums [[buffer(1)]],
                    device float* const device* more [[buffer(2)]], constant ulong& address [[buffer(3)]],
                    uint t [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint i = 0; i < all[t].shape.x * all[t].shape.y; ++i) sum += all[t].data[i];
  sums[t][0] = sum;
  more[t][t] = -sum;
  reinterpret_cast<device float*>(address)[t] = 2 * sum;
}

// A list: what a pointer leads to has a pointer to the next.
struct Node {
  uint value;
  device Node* next;
};

kernel void list(device Node* first [[buffer(0)]], device uint* out [[buffer(1)]]) {
  uint count = 0, sum = 0;
  for (device Node* node = first; node != nullptr; node = node->next) {
    sum = 10 * sum + node->value;
    ++count;
  }
  out[0] = sum;
  out[1] = count;
}

// What a checked launch has to find.
kernel void faults(constant Set& set [[buffer(0)]], constant uint& which [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  if (which == 0) set.out[i + 2] = 1;                      // one past the end, for the last thread
  if (which == 1) set.out[0] = set.rows[1][i];             // a race
  if (which == 2) set.out[i] = set.part.values[i];         // which nobody has written
  if (which == 3) set.part.values[0] = set.rows[2][4000];  // far behind a row
}
