// Layers of networks with arguments in structs: convolution, pooling, rotary embedding, resampling, state spaces,
// copies, concatenation, each with its own style of parameters.
#include <metal_stdlib>
using namespace metal;
#define N_SIMDWIDTH 32
#define FC_BASE 400
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))
#define PI 3.14159265358979
typedef struct { int32_t ne00; int32_t ne01; uint64_t nb00; uint64_t nb01; float freq_base; float ext_factor; float attn_factor; float beta[2]; int32_t sections[4]; bool neox; } args_rope;
typedef struct { uint64_t ofs0; uint64_t ofs1; int32_t IW; int32_t IH; int32_t CHW; int32_t s0; int32_t s1; int32_t p0; int32_t p1; int32_t d0; int32_t d1; int32_t N; int32_t KH; int32_t KW; int32_t KHW; } args_im2col;
enum rope_type { ROPE_NORMAL, ROPE_NEOX = 2, ROPE_MULTI = 8, };
constant bool FC_bias [[function_constant(FC_BASE + 0)]];
constant short FC_kind [[function_constant(FC_BASE + 1)]];
constant float2 FC_range [[function_constant(FC_BASE + 2)]];
constant uint3 FC_grid [[function_constant(FC_BASE + 3)]];
constant half FC_half [[function_constant(FC_BASE + 4)]];
constant uchar FC_byte [[function_constant(FC_BASE + 5)]];
// function_constants: 400 = true, 401 = 2, 404 = 0.5, 405 = 7
static float ramp(const float low, const float high, const int i0) {
    const float y = (i0 / 2 - low) / max(0.001f, high - low);
    return 1.0f - min(1.0f, max(0.0f, y));
}
static void angles(float theta_extrap, float freq_scale, const float dims[2], int i0, float ext_factor, thread float * cos_theta, thread float * sin_theta) {
    float theta_interp = freq_scale * theta_extrap;
    float theta = theta_interp;
    if (ext_factor != 0.0f) {
        float ramp_mix = ramp(dims[0], dims[1], i0) * ext_factor;
        theta = theta_interp * (1 - ramp_mix) + theta_extrap * ramp_mix;
    }
    *cos_theta = cos(theta);
    *sin_theta = sin(theta);
}
static float corr_factor(int n_dims, float n_rot, float base) { return n_dims * log(128 / (n_rot * 2 * M_PI_F)) / (2 * log(base)); }
static void corr_dims(int n_dims, float base, float fast, float slow, thread float dims[2]) {
    dims[0] = max(0.0f,         floor(corr_factor(n_dims, fast, base)));
    dims[1] = min(n_dims - 1.0f, ceil(corr_factor(n_dims, slow, base)));
}
template<typename T>
kernel void kernel_rope(
        constant args_rope & args,
        device const char * src0,
        device const char * src1,
        device const char * src2,
        device       char * dst,
        ushort  tiitg[[thread_index_in_threadgroup]],
        ushort3 tptg [[threads_per_threadgroup]],
        uint3   tgpig[[threadgroup_position_in_grid]]) {
    const int i3 = tgpig[2];
    const int i1 = tgpig[0];
    float dims[2];
    corr_dims(args.ne00, args.freq_base, args.beta[0], args.beta[1], dims);
    device const int32_t * pos = (device const int32_t *) src1;
    const float theta_base = (float) pos[i3];
    const float inv_ndims = -1.f/args.ne00;
    float cos_theta;
    float sin_theta;
    for (int i0 = 2*tiitg; i0 < args.ne00; i0 += 2*tptg.x) {
        const int ic = i0/2;
        const float theta = theta_base * pow(args.freq_base, inv_ndims*i0);
        const float freq_factor = args.neox ? ((device const float *) src2)[ic] : 1.0f;
        angles(theta/freq_factor, 1.0f, dims, i0, args.ext_factor, &cos_theta, &sin_theta);
        device const T * const src = (device T *)(src0 + i1*args.nb01 + i0*args.nb00);
        device       T * dst_data  = (device T *)( dst + i1*args.nb01 + i0*args.nb00);
        const float x0 = src[0];
        const float x1 = src[FC_kind == ROPE_NEOX ? args.ne00/2 : 1];
        dst_data[0] = x0*cos_theta - x1*sin_theta;
        dst_data[1] = x0*sin_theta + x1*cos_theta;
    }
}
typedef decltype(kernel_rope<float>) kernel_rope_t;
template [[host_name("kernel_rope_f32")]] kernel kernel_rope_t kernel_rope<float>;
template [[host_name("kernel_rope_f16")]] kernel kernel_rope_t kernel_rope<half>;
typedef void (im2col_t)(constant args_im2col & args, device const float * x, device char * dst, uint3 tgpig[[threadgroup_position_in_grid]], uint3 tgpg[[threadgroups_per_grid]], uint3 tpitg[[thread_position_in_threadgroup]], uint3 ntg[[threads_per_threadgroup]]);
template <typename T>
kernel void kernel_im2col(constant args_im2col & args, device const float * x, device char * dst, uint3 tgpig[[threadgroup_position_in_grid]], uint3 tgpg[[threadgroups_per_grid]], uint3 tpitg[[thread_position_in_threadgroup]], uint3 ntg[[threads_per_threadgroup]]) {
    const int64_t OH = tgpg[1], OW = tgpg[2];
    const int64_t in = tpitg[0] + tgpig[0]*ntg[0], oh = tgpig[1], ow = tgpig[2];
    if (in >= args.N) { return; }
    for (int64_t ikh = 0; ikh < args.KH; ++ikh) for (int64_t ikw = 0; ikw < args.KW; ++ikw) {
        const int64_t iiw = ow*args.s0 + ikw*args.d0 - args.p0;
        const int64_t iih = oh*args.s1 + ikh*args.d1 - args.p1;
        const int64_t offset_dst = (in*OH*OW + oh*OW + ow)*args.CHW + (tgpig[0]*args.KHW + ikh*args.KW + ikw);
        device T * pdst = (device T *) (dst);
        if (iih < 0 || iih >= args.IH || iiw < 0 || iiw >= args.IW) { pdst[offset_dst] = 0.0f; }
        else { pdst[offset_dst] = x[in*args.ofs0 + tgpig[0]*args.ofs1 + iih*args.IW + iiw]; }
    }
}
template [[host_name("kernel_im2col_f32")]] kernel im2col_t kernel_im2col<float>;
template [[host_name("kernel_im2col_f16")]] kernel im2col_t kernel_im2col<half>;
kernel void kernel_scale_4(device const float4 * src0, device float4 * dst, constant float & scale, uint tpig[[thread_position_in_grid]]) { dst[tpig] = src0[tpig] * scale + (FC_bias ? float(FC_half) : 0.f) + FC_byte; }
kernel void kernel_gelu(device const float4 * src0, device float4 * dst, uint tpig[[thread_position_in_grid]]) {
    device const float4 & x = src0[tpig];
    dst[tpig] = 0.5f*x*(1.0f + precise::tanh(0.79788456080286535587989211986876f*x*(1.0f + 0.044715f*x*x)));
}
kernel void kernel_silu(device const float4 * src0, device float4 * dst, uint tpig[[thread_position_in_grid]]) {
    device const float4 & x = src0[tpig];
    dst[tpig] = x / (1.0f + exp(-x));
}
kernel void kernel_geglu_erf(device const char * src0, device const char * src1, device char * dst, constant int4 & n, uint tgpig[[threadgroup_position_in_grid]], uint tpitg[[thread_position_in_threadgroup]], uint ntg[[threads_per_threadgroup]]) {
    device const float * src0_row = (device const float *) ((device const char *) src0 + tgpig*n.y) + n.z;
    device       float * dst_row  = (device       float *) ((device       char *) dst  + tgpig*n.w);
    for (int i0 = tpitg; i0 < n.x; i0 += ntg) {
        const float x0 = src0_row[i0], sgn = sign(x0), t = 1.0f / (1.0f + 0.3275911f*fabs(x0));
        const float y = 1.0f - (((((1.061405429f*t + -1.453152027f)*t) + 1.421413741f)*t + -0.284496736f)*t + 0.254829592f)*t*exp(-x0*x0);
        dst_row[i0] = 0.5f*x0*(1.0f+sgn*y) * ((device const float *) src1)[i0];
    }
}
kernel void kernel_arange(device char * dst, constant float & start, constant float & step, constant int64_t & ne0, uint3 tgpig[[threadgroup_position_in_grid]], uint3 tpitg[[thread_position_in_threadgroup]], uint3 ntg[[threads_per_threadgroup]]) {
    device float * dst_ptr = (device float *) dst;
    for (int i0 = tpitg.x; i0 < ne0; i0 += ntg.x) { dst_ptr[i0] = start + step * i0; }
}
template<typename T0, typename T1>
kernel void kernel_cpy(constant args_rope & args, device const char * src0, device char * dst, uint3 tgpig[[threadgroup_position_in_grid]], ushort3 tpitg[[thread_position_in_threadgroup]], ushort3 ntg[[threads_per_threadgroup]]) {
    device T1 * dst_data = (device T1 *) (dst + tgpig.x*args.nb01);
    for (int64_t i00 = tpitg.x; i00 < args.ne00; i00 += ntg.x) {
        device const T0 * src = (device T0 *)(src0 + tgpig.x*args.nb01 + i00*args.nb00);
        dst_data[i00] = (T1) src[0];
    }
}
typedef decltype(kernel_cpy<float, float>) kernel_cpy_t;
template [[host_name("kernel_cpy_f32_f16")]]   kernel kernel_cpy_t kernel_cpy<float,   half>;
template [[host_name("kernel_cpy_bf16_f32")]]  kernel kernel_cpy_t kernel_cpy<bfloat,  float>;
#if defined(__HAVE_BFLOAT__)
template [[host_name("kernel_cpy_f32_bf16")]]  kernel kernel_cpy_t kernel_cpy<float,   bfloat>;
#endif
kernel void kernel_pool(constant int (&args)[8] [[buffer(2)]], device const float * src0, device float * dst, uint gid[[thread_position_in_grid]]) {
    if (gid >= (uint) args[0]) return;
    device const float * i_ptr = src0 + gid * args[1] * args[2];
    float res = -INFINITY;
    for (int i = MAX_OF(0, args[3]); i < args[1]; i += 1)
        for (int j = 0; j < args[2]; j += 1)
            res = max(res, i_ptr[i * args[2] + j]);
    dst[gid] = res;
}
kernel void kernel_upscale(device const float * src [[buffer(0)]], device float * dst [[buffer(1)]], constant float4 & sf [[buffer(2)]], constant packed_int3 & sizes [[buffer(3)]], uint3 at [[thread_position_in_grid]]) {
    const float fx = (at.x + 0.5f) / sf.x - 0.5f;
    const int x0 = MAX_OF(0, (int)floor(fx)), x1 = min(x0 + 1, sizes[0] - 1);
    const float w = clamp(fx - x0, 0.0f, 1.0f);
    dst[at.y * sizes.y + at.x] = mix(src[x0], src[x1], w) + (is_function_constant_defined(FC_grid) ? FC_grid.y : at.x) + (is_function_constant_defined(FC_range) ? FC_range.x : 0.f);
}
kernel void kernel_scan_states(device const float * A, device const float * B, device float * y, constant int & d, uint3 tgpig[[threadgroup_position_in_grid]], ushort lane[[thread_index_in_simdgroup]]) {
    float state = 0.0f;
    for (int t = 0; t < d; ++t) {
        const float dt = A[t] <= 20.0f ? log(1.0f + exp(A[t])) : A[t];
        state = fma(state, exp(dt * B[lane]), dt);
        const float sum = simd_sum(state * B[t]);
        if (lane == 0) y[tgpig.x * d + t] = sum;
    }
}
[[host_name("kernel_sgd")]] kernel void sgd(device float * x [[buffer(0)]], device const float * g [[buffer(1)]], constant float * pars [[buffer(2)]], uint gid [[thread_position_in_grid]]) { x[gid] = x[gid] * (1.0f - pars[0] * pars[1]) - pars[0] * g[gid]; }
