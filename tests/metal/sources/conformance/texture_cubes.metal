// Globes in six maps: seen from inside in every direction, and copied face by face.
#include <metal_stdlib>
using namespace metal;

constexpr sampler nearest(filter::nearest, compare_func::less);
constexpr sampler linear(filter::linear, compare_func::less);

static void put(device float *to, float4 v) {
  for (uint k = 0; k < 4; ++k) to[k] = v[k];
}

// What one look sees: of a globe, of its depths, and of eras of both, of which there are two.
kernel void globe(texturecube<float, access::sample> maps [[texture(0)]], depthcube<float> relief [[texture(1)]],
                  texturecube_array<float, access::sample> eras [[texture(2)]],
                  depthcube_array<float> reliefs [[texture(3)]], device const packed_float3 *looks [[buffer(0)]],
                  device float *out [[buffer(1)]], constant float &keel [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  const float3 look = looks[i];
  device float *mine = out + 40 * i;
  mine[0] = maps.sample(nearest, look).x;
  mine[1] = maps.sample(linear, look, level(0)).x;
  put(mine + 2, maps.gather(linear, look));
  put(mine + 6, maps.gather(nearest, look, component::y));
  mine[10] = relief.sample(nearest, look);
  mine[11] = relief.sample(linear, look);
  put(mine + 12, relief.gather(linear, look));
  mine[16] = relief.sample_compare(nearest, look, keel);
  mine[17] = relief.sample_compare(linear, look, keel);
  put(mine + 18, relief.gather_compare(linear, look, keel));
  mine[22] = eras.sample(nearest, look, 0).x;
  mine[23] = eras.sample(linear, look, 1).x;
  mine[24] = eras.sample(linear, look, 7).x;
  put(mine + 25, eras.gather(linear, look, 1, component::x));
  mine[29] = reliefs.sample(linear, look, 1);
  mine[30] = reliefs.sample_compare(linear, look, 1, keel + 1000);
  put(mine + 31, reliefs.gather_compare(linear, look, 1, keel + 1000));
  put(mine + 35, reliefs.gather(linear, look, 0));
  mine[39] = maps.get_width() + maps.get_height() + 10 * eras.get_array_size() + 100 * reliefs.get_array_size();
}

// A thread for each texel of four faces more than there are, so that some read and write what is not there.
kernel void copied(texturecube<float, access::read> map [[texture(0)]],
                   depthcube<float, access::read> relief [[texture(1)]],
                   texturecube_array<half, access::read_write> eras [[texture(2)]],
                   depthcube_array<float, access::read> reliefs [[texture(3)]],
                   texturecube<half, access::write> copy [[texture(4)]], device float *out [[buffer(0)]],
                   uint3 at [[thread_position_in_grid]]) {
  const uint face = at.z % 10, index = at.z / 10;
  device float *mine = out + 4 * ((at.z * 2 + at.y) * 2 + at.x);
  mine[0] = map.read(at.xy, face).x;
  mine[1] = relief.read(ushort2(at.xy), face);
  mine[2] = eras.read(at.xy, face, index).x;
  mine[3] = reliefs.read(ushort2(at.xy), face, index);
  if (index == 0) copy.write(half4(map.read(at.xy, face)), ushort2(at.yx), face);
  eras.write(half4(mine[2] + 1), ushort2(at.xy), face, index);
}
