// A 3 x 3 convolution of an image in a texture; past its edges the image goes on as it ends. A threadgroup
// computes 16 x 8 pixels from a tile with a rim in its memory.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint WIDTH = 16, HEIGHT = 8;                 // of a tile
constant constexpr uint RIMMED = WIDTH + 2, ROWS = HEIGHT + 2;  // with a pixel around it

kernel void convolution(texture2d<float> image [[texture(0)]],
                        texture2d<float, access::write> out [[texture(1)]],  // of the same extents
                        constant float* weights [[buffer(0)]],               // [3, 3]
                        uint2 tile [[threadgroup_position_in_grid]],
                        uint2 at [[thread_position_in_threadgroup]],
                        uint thread_index [[thread_index_in_threadgroup]]) {
  constexpr sampler edges(coord::pixel, address::clamp_to_edge, filter::nearest);
  threadgroup float pixels[ROWS][RIMMED];
  const float2 first = float2(tile * uint2(WIDTH, HEIGHT)) - 0.5f;  // the middle of the rim's first pixel

  for (uint i = thread_index; i < ROWS * RIMMED; i += WIDTH * HEIGHT)
    pixels[i / RIMMED][i % RIMMED] = image.sample(edges, first + float2(i % RIMMED, i / RIMMED)).x;
  threadgroup_barrier(mem_flags::mem_threadgroup);

  float sum = 0;
  for (uint i = 0; i < 3; ++i)
    for (uint j = 0; j < 3; ++j) sum = fma(pixels[at.y + i][at.x + j], weights[3 * i + j], sum);
  out.write(sum, tile * uint2(WIDTH, HEIGHT) + at);  // what lies past the edges is not written
}
