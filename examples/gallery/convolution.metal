// A 3 x 3 convolution of an image in a buffer; past its edges the image goes on as it ends. A threadgroup
// computes 16 x 8 pixels from a tile with a rim in its memory.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint WIDTH = 16, HEIGHT = 8;                 // of a tile
constant constexpr uint RIMMED = WIDTH + 2, ROWS = HEIGHT + 2;  // with a pixel around it

kernel void convolution(device const float* image [[buffer(0)]],  // [H, W]
                        constant float* weights [[buffer(1)]],    // [3, 3]
                        device float* out [[buffer(2)]],          // [H, W]
                        constant uint2& size [[buffer(3)]],       // H, W
                        uint2 tile [[threadgroup_position_in_grid]],
                        uint2 at [[thread_position_in_threadgroup]],
                        uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup float pixels[ROWS][RIMMED];
  const int height = size.x, width = size.y;
  const int top = int(tile.y * HEIGHT) - 1, left = int(tile.x * WIDTH) - 1;

  for (uint i = thread_index; i < ROWS * RIMMED; i += WIDTH * HEIGHT) {
    const int row = clamp(top + int(i / RIMMED), 0, height - 1);
    const int column = clamp(left + int(i % RIMMED), 0, width - 1);
    pixels[i / RIMMED][i % RIMMED] = image[row * width + column];
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);

  const int row = tile.y * HEIGHT + at.y, column = tile.x * WIDTH + at.x;
  if (row >= height || column >= width) return;
  float sum = 0;
  for (uint i = 0; i < 3; ++i)
    for (uint j = 0; j < 3; ++j) sum = fma(pixels[at.y + i][at.x + j], weights[3 * i + j], sum);
  out[row * width + column] = sum;
}
