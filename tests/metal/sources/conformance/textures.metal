// Textures of every shape: postcards, printed, turned and enlarged.
#include <metal_stdlib>
using namespace metal;

constexpr sampler nearest_edge(coord::pixel, address::clamp_to_edge, filter::nearest);
constexpr sampler smooth(coord::normalized, address::repeat, filter::linear);

// Every texel doubled into another format; the extents.
kernel void print(texture2d<float, access::read> card [[texture(0)]],
                  texture2d<half, access::write> out [[texture(1)]], device uint *extents [[buffer(0)]],
                  uint2 at [[thread_position_in_grid]]) {
  if (at.x == 0 && at.y == 0) {
    extents[0] = card.get_width();
    extents[1] = card.get_height();
    extents[2] = out.get_num_mip_levels();
    extents[3] = uint(card.read(uint2(100, 0)).x + card.read(uint2(0, 100)).w);
  }
  const float4 c = card.read(at);
  out.write(half4(c * 2.0f), ushort2(at));
  out.write(half4(9), uint2(card.get_width(), 0));
}

// What samplers give outside, and between texels; the last is the host's.
kernel void look(texture2d<float> card [[texture(0)]], sampler made [[sampler(0)]], device const float2 *places,
                 device float4 *found, uint i [[thread_position_in_grid]]) {
  constexpr sampler zero(coord::pixel, address::clamp_to_zero);
  constexpr sampler mirrored(coord::normalized, s_address::mirrored_repeat, t_address::clamp_to_edge,
                             filter::nearest);
  const float2 at = places[i], part = at / float2(card.get_width(), card.get_height());
  found[i] = float4(card.sample(nearest_edge, at).x, card.sample(zero, at).x, card.sample(mirrored, part).x,
                    card.sample(smooth, part).x);
  found[8 + i] = float4(card.sample(made, part, level(0)).x, card.sample(nearest_edge, at, int2(1, 0)).x,
                        card.gather(nearest_edge, at).x, card.gather(nearest_edge, at, int2(0), component::x).z);
}

kernel void stack(texture3d<float, access::sample> block [[texture(0)]],
                  texture2d_array<uint, access::read> album [[texture(1)]],
                  texture1d<int, access::read_write> strip [[texture(2)]], device float *out,
                  uint i [[thread_position_in_grid]]) {
  constexpr sampler linear(filter::linear, address::clamp_to_edge);
  out[i] = block.sample(linear, float3(0.5f, 0.5f, (float(i) + 0.5f) / block.get_depth())).x;
  out[4 + i] = album.read(uint2(1, 0), i % album.get_array_size()).y;
  strip.write(int4(strip.read(i).x - 5), i);
}

kernel void collide(texture2d<float, access::write> card [[texture(0)]], uint i [[thread_position_in_grid]]) {
  card.write(float4(i), uint2(0, 0));
}

// How deep the water is, and how much of it is deeper than a keel.
kernel void sound(depth2d<float> water [[texture(0)]], depth2d<float, access::read> charted [[texture(1)]],
                  device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  constexpr sampler deeper(coord::pixel, filter::linear, address::clamp_to_edge, compare_func::less,
                           max_anisotropy(4), lod_clamp(0.0f, 1.0f));
  constexpr sampler plain(coord::pixel, filter::nearest);
  out[i] = water.sample_compare(deeper, float2(i + 1, 0.5f), 2.5f);
  out[4 + i] = water.sample(plain, float2(i + 0.5f, 0.5f)) + charted.read(uint2(i, 0));
  out[8 + i] = water.gather(plain, float2(i + 1, 0.5f)).z + water.get_width();
}

// Layers of one dimension, of depths, and of several samples; many textures in one parameter.
kernel void sheaf(texture1d_array<float> scales [[texture(0)]], depth2d_array<float> soundings [[texture(1)]],
                  texture2d_ms<float> exposures [[texture(2)]],
                  array<texture2d<float, access::read>, 3> plates [[texture(3)]], device float *out [[buffer(0)]],
                  texture2d<float, access::read> last [[texture(6)]], uint i [[thread_position_in_grid]]) {
  constexpr sampler pixels(coord::pixel, filter::linear, address::clamp_to_edge, compare_func::less_equal);
  out[i] = scales.sample(pixels, 1.0f, i).x + 100 * scales.get_array_size();
  out[4 + i] = soundings.sample_compare(pixels, float2(1, 0.5f), i, 3.0f) + soundings.read(uint2(0, 0), i);
  float sum = 0;
  for (uint s = 0; s < exposures.get_num_samples(); ++s) sum += exposures.read(uint2(i % 2, 0), s).x;
  out[8 + i] = sum;
  for (const auto plate : plates) sum += plate.read(uint2(0)).x;
  out[12 + i] = sum + plates[i % 3].read(uint2(0)).x + last.read(uint2(0)).x;
}

// Depths in layers, of which there are fewer than threads, and in samples.
kernel void survey(depth2d_array<float> soundings [[texture(0)]], depth2d_ms<float> exposures [[texture(1)]],
                   device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  constexpr sampler linear(filter::linear, compare_func::greater);
  constexpr sampler pixels(coord::pixel, filter::nearest, address::clamp_to_edge);
  const float2 middle = 0.5f;
  device float *mine = out + 16 * i;
  mine[0] = soundings.read(ushort2(1, 0), i);
  mine[1] = soundings.sample(linear, middle, i);
  mine[2] = soundings.sample(pixels, float2(0, 0), i, level(0), int2(1, 1));
  const float4 four = soundings.gather(linear, middle, i);
  const float4 moved = soundings.gather(pixels, float2(2, 1), i, int2(-1, 0));
  mine[3] = four.x, mine[4] = four.y, mine[5] = four.z, mine[6] = four.w;
  mine[7] = moved.x, mine[8] = moved.y;
  mine[9] = soundings.sample_compare(linear, middle, i, 11.0f);
  const float4 passing = soundings.gather_compare(linear, middle, i, 11.0f);
  mine[10] = passing.x, mine[11] = passing.y, mine[12] = passing.z, mine[13] = passing.w;
  mine[14] = exposures.read(uint2(1, 1), i);
  mine[15] = exposures.get_num_samples() + exposures.get_width() + exposures.get_height();
}

// One of each kind.
kernel void shelf(texture1d<float> line [[texture(0)]], texture1d_array<float> lines [[texture(1)]],
                  texture2d<float> plane [[texture(2)]], texture2d_array<float> planes [[texture(3)]],
                  texture_buffer<float> strip [[texture(4)]], texturecube<float> cube [[texture(5)]],
                  texturecube_array<float> cubes [[texture(6)]], texture3d<uint> block [[texture(7)]],
                  device float *out [[buffer(0)]]) {
  out[0] = line.read(0).x + lines.read(0, 0).x + plane.read(uint2(0)).x + planes.read(uint2(0), 0).x +
           strip.read(0).x + cube.read(uint2(0), 0).x + cubes.read(uint2(0), 0, 0).x + block.read(uint3(0)).x;
}

// There is one level; those of `card` have their size, nothing else.
kernel void levels(texture2d<float> card [[texture(0)]], texture1d<float, access::write> strip [[texture(1)]],
                   device float *out [[buffer(0)]]) {
  constexpr sampler pixels(coord::pixel);
  out[0] = card.read(uint2(1), 0).x;
  out[1] = card.read(ushort2(1), 1).x;
  out[2] = card.sample(pixels, float2(1), level(2)).x;
  out[3] = card.get_width(2);
  out[4] = card.get_height(2);
  out[5] = card.get_num_mip_levels();
  strip.write(1, 0);
  strip.write(2, 1, 1);
}

// Beyond the left edge of a card: each border, and zero; half way across the edge; with a column to its left
// that repeats and a row above that does not.
kernel void frame(texture2d<float> card [[texture(0)]], device float4 *out [[buffer(0)]]) {
  constexpr sampler zero(coord::pixel, address::clamp_to_zero);
  constexpr sampler clear(coord::pixel, address::clamp_to_border);
  constexpr sampler black(coord::pixel, address::clamp_to_border, border_color::opaque_black);
  constexpr sampler white(coord::pixel, address::clamp_to_border, border_color::opaque_white, filter::linear);
  constexpr sampler mixed(coord::pixel, s_address::repeat, t_address::clamp_to_border, r_address::clamp_to_edge,
                          mag_filter::linear, min_filter::nearest, mip_filter::nearest,
                          border_color::opaque_white, max_anisotropy(16), lod_clamp(0.0f, FLT_MAX));
  const float2 outside(-1, 0.5f);
  out[0] = card.sample(zero, outside);
  out[1] = card.sample(clear, outside);
  out[2] = card.sample(black, outside);
  out[3] = card.sample(white, outside);
  out[4] = card.sample(white, float2(0, 0.5f));
  out[5] = card.sample(mixed, float2(0, 0.5f));
  out[6] = card.sample(mixed, float2(0.5f, -1));
}

// Several samplers in one parameter; textures and samplers without indices, which take those that are left.
kernel void loupe(array<sampler, 2> glasses [[sampler(1)]], texture2d<float> card, sampler plain,
                  texture2d<float> first [[texture(0)]], device float *out [[buffer(0)]]) {
  out[0] = card.sample(plain, float2(0.5f)).x;
  for (uint i = 0; i < glasses.size(); ++i) out[1 + i] = card.sample(glasses[i], float2(1.75f, 0.5f)).x;
  out[3] = first.sample(plain, float2(0)).x;
}
