// As compilers of tensor programs write: one line a statement, wide unrolled bodies, helpers for matrices,
// structs of scalars, casts of vectors by pointers.
#include <metal_stdlib>
using namespace metal;
union __ArgUnion {
 int v_int[2];
};
struct fused_product_args_t {
  int64_t n;
  int32_t batch; float scale;
};
float2 __mma_8_8_8_float_float(float2 a, float2 b, float2 c){
  simdgroup_float8x8 mat_a, mat_b; simdgroup_float8x8 mat_c;
  mat_a.thread_elements()[0] = a[0]; mat_b.thread_elements()[0] = b[0]; mat_c.thread_elements()[0] = c[0];
  mat_a.thread_elements()[1] = a[1]; mat_b.thread_elements()[1] = b[1]; mat_c.thread_elements()[1] = c[1];
  simdgroup_multiply_accumulate(mat_c, mat_a, mat_b, mat_c);
  return float2(mat_c.thread_elements()[0], mat_c.thread_elements()[1]);
}
kernel void r_2_8_4_4(device float* data0, const device float* data1, const device half* data2, constant int& start_pos, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  threadgroup __attribute__((aligned(16))) float temp0[32];
  float acc0[4];
  int gidx0 = gid.x; /* 2 */
  int lidx0 = lid.x; /* 8 */
  *(acc0+0) = 0.0f; *(acc0+1) = 0.0f; acc0[2] = 0.0f; acc0[3] = 0.0f;
  for (int ridx0 = 0; ridx0 < 4; ridx0++) {
    int alu0 = ((gidx0<<5)+(lidx0<<2)+ridx0);
    float4 val0 = *((device float4*)((data1+alu0)));
    half4 val1 = (*((device half4*)((data2+(alu0&-4)))));
    *(acc0+0) = ((*(acc0+0))+(val0.x*((float)(val1.x))));
    *(acc0+1) = ((*(acc0+1))+(val0.y*((float)(val1.y))));
    bool alu1 = ((ridx0<(start_pos+1))!=true);
    acc0[2] = (alu1?(float)(0.0f):acc0[2]+val0.z);
  }
  *(temp0+lidx0) = *(acc0+0);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float2 wmma0 = __mma_8_8_8_float_float(float2(acc0[0], acc0[1]), float2(1.0f,2.0f), float2(0.0f,0.0f));
  *((device float4*)((data0+((gidx0<<5)+(lidx0<<2))))) = float4((*(acc0+0)),exp2(((*(acc0+1))*1.4426950408889634f)),wmma0.x,*(temp0+(7-lidx0)));
  *(data0+0) = (((unsigned char)(3))+((int)(((long)(5))*2ll%7))+(unsigned short)(9)+(unsigned int)7u+(signed char)-1+(unsigned long)4ul);
  data0[1] = as_type<float>((uint)((as_type<uint>((float)(1.5f))>>16u)<<16u));
}
kernel void fused_product_kernel_2(  device half* A [[ buffer(0) ]],
  device uint* B [[ buffer(1) ]],
  device half* C [[ buffer(2) ]],
  constant fused_product_args_t& arg [[ buffer(3) ]],
  uint3 blockIdx [[threadgroup_position_in_grid]],
  uint3 threadIdx [[thread_position_in_threadgroup]]
) {
  threadgroup half red_buf0[64];
  threadgroup half A_shared[512];
  half v_[4];
  thread half2 sums[2] = {half2(0), half2(0)};
  v_[0] = 0.000000e+00h;
  *(threadgroup half4*)(A_shared + (((int)threadIdx.x) * 4)) = *(device half4*)(A + (((((int)blockIdx.x) * 512)) + (((int)threadIdx.x) * 4)));
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int k_0 = 0; k_0 < 4; ++k_0) {
    int4 _1 = int4((k_0*4)+(1*0), (k_0*4)+(1*1), (k_0*4)+(1*2), (k_0*4)+(1*3));
    uint4 _2 = uint4(B[_1.x],B[_1.y],B[_1.z],B[_1.w]);
    half4 _3 = (half4(((_2 >> ((uint4)4u)) & uint4((uint)15))) - half4(((half)7.0h), ((half)7.0h), ((half)7.0h), ((half)7.0h)));
    v_[0] = (v_[0] + dot(_3, *(threadgroup half4*)(A_shared + k_0 * 4)));
    sums[k_0 & 1] += (half2)(_3.xy);
  }
  red_buf0[((int)threadIdx.x)] = simd_sum(v_[0]);
  if (((int)threadIdx.x) == 0) C[(((int)blockIdx.x) * arg.batch)] = (red_buf0[0] + sums[0].x * (half)arg.scale + ((half)arg.n));
}
kernel void E_4_4n1(device int* data0, device unsigned char* data1, device long* data2, device bool* data3, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; int lidx0 = lid.x;
  int alu0 = (lidx0+(gidx0<<2));
  int4 cast0 = int4((int)(data1[alu0]), 1, 2, 3);
  *((device int4*)((data0+(alu0<<2)))) = (int4){(cast0.x+1),(cast0.y^-1),cast0.z,max(cast0.w,3)};
  *(data2+alu0) = (((long)(alu0))*-4294967296ll);
  *(data3+alu0) = ((bool)(alu0) && (alu0 != 3));
  float2 a = (float2)(1.0f, 2.0f);
  data0[0] += (int)a.y;
}
struct Geglu { template<typename T> static T gelu(T x) { return (T)0.5 * x * ((T)1 + (T)precise::tanh((float)(x * (T)0.7978845608))); } };
kernel void elementwise(device const float *a_0 [[buffer(0)]], device float *out_0 [[buffer(1)]], constant size_t& dim [[buffer(2)]], uint tid [[thread_position_in_grid]], uint max_threads [[threads_per_grid]]) {
  for (size_t i = tid; i < dim; i += max_threads) { out_0[i] = Geglu::gelu(a_0[i]); }
}
