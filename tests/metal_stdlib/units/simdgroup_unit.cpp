// Functions across lanes, atomics, fences and barriers, each called by every lane of the test's simdgroup.
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

extern "C" {

void simd_reductions() {
  const uint lane = assay_lane->index_in_simdgroup;
  CHECK(simd_sum(lane) == 496 && simd_sum(float(lane)) == 496 && simd_sum(half(lane)) == 496);
  CHECK(simd_sum(bfloat(lane % 2)) == bfloat(16) && simd_product(lane % 2 ? 2.0f : 1.0f) == 65536);
  CHECK(simd_min(int(lane) - 7) == -7 && simd_max(short(lane)) == 31 && simd_max(-float(lane)) == 0);
  CHECK(simd_and(lane | 64) == 64 && simd_or(1u << lane) == ~0u && simd_xor(lane) == 0 &&
        simd_xor(uchar(1)) == 0);
  const float4 v = simd_sum(float4(lane, 1, 2, -float(lane)));
  CHECK(all(v == float4(496, 32, 64, -496)));
  CHECK(all(simd_max(v.wzyx * float(lane)).xy == float2(0, 64 * 31)));
  CHECK(all(simd_sum(uint2(lane, 1u << 20)) == uint2(496, 32u << 20)));
  CHECK(signbit(simd_sum(-0.0f)));
}

void simd_reductions_skip_lanes_that_ended() {
  const uint lane = assay_lane->index_in_simdgroup;
  if (lane % 3 == 0) return;
  CHECK(simd_sum(lane) == 496 - 165 && simd_min(lane) == 1 && simd_and(lane | 64) == 64 &&
        simd_product(1u) == 1);
  CHECK(simd_max(-int(lane)) == -1 && simd_broadcast_first(lane) == 1 && simd_is_first() == (lane == 1));
  CHECK(ulong(simd_active_threads_mask()) == 0xB6DB6DB6ul && simd_ballot(true).all() && simd_all(lane > 0));
  CHECK(simd_prefix_inclusive_sum(1u) == lane - lane / 3 &&
        simd_prefix_exclusive_sum(1u) == lane - lane / 3 - 1);
  CHECK(quad_sum(1u) == (lane / 4 * 4 % 3 == 0 ? 2u : lane / 4 * 4 % 3 == 1 ? 3u : 3u));
}

void simd_scans() {
  const uint lane = assay_lane->index_in_simdgroup;
  CHECK(simd_prefix_inclusive_sum(lane) == lane * (lane + 1) / 2);
  CHECK(simd_prefix_exclusive_sum(lane) == lane * (lane - 1) / 2);
  CHECK(simd_prefix_exclusive_sum(1.5f) == 1.5f * float(lane) && !signbit(simd_prefix_exclusive_sum(1.0f)));
  CHECK(simd_prefix_inclusive_product(lane < 3 ? 2 : 1) == (lane == 0 ? 2 : lane == 1 ? 4 : 8));
  CHECK(simd_prefix_exclusive_product(lane < 3 ? 2 : 1) == (lane == 0   ? 1
                                                            : lane == 1 ? 2
                                                            : lane == 2 ? 4
                                                                        : 8));
}

void simd_shuffles() {
  const uint lane = assay_lane->index_in_simdgroup;
  CHECK(simd_broadcast(lane, 5) == 5 && simd_broadcast_first(lane + 3) == 3 &&
        simd_shuffle(lane, 31 - lane) == 31 - lane);
  CHECK(simd_shuffle_xor(lane, 3) == (lane ^ 3) && simd_shuffle_up(lane, 4) == (lane < 4 ? lane : lane - 4));
  CHECK(simd_shuffle_down(lane, 4) == (lane > 27 ? lane : lane + 4));
  CHECK(simd_shuffle_rotate_up(lane, 4) == (lane + 28) % 32 &&
        simd_shuffle_rotate_down(lane, 4) == (lane + 4) % 32);
  CHECK(simd_shuffle_and_fill_up(lane, 100 + lane, 2) == (lane < 2 ? 130 + lane : lane - 2));
  CHECK(simd_shuffle_and_fill_down(lane, 100 + lane, 2) == (lane > 29 ? 70 + lane : lane + 2));
  CHECK(simd_shuffle_and_fill_up(lane, 100 + lane, 2, 8) == (lane % 8 < 2 ? 106 + lane : lane - 2));
  CHECK(simd_shuffle_and_fill_down(lane, 100 + lane, 2, 8) == (lane % 8 > 5 ? 94 + lane : lane + 2));
  const half4 h = simd_shuffle_xor(half4(lane), 1);
  CHECK(h.w == half(lane ^ 1) && simd_shuffle(lane % 2 == 0, 2) &&
        simd_shuffle(lane << 20, 3) == 3u << 20);
}

void simd_votes() {
  const uint lane = assay_lane->index_in_simdgroup;
  const simd_vote odd = simd_ballot(lane % 2);
  CHECK(simd_vote::vote_t(odd) == 0xAAAAAAAA && odd.any() && !odd.all() && simd_any(lane == 9) &&
        !simd_any(lane > 31));
  CHECK(simd_all(lane < 32) && !simd_all(lane != 9) && simd_is_first() == (lane == 0));
  CHECK((ulong)simd_active_threads_mask() == 0xFFFFFFFF && simd_vote(0xFFFFFFFF).all() &&
        !simd_vote(1).all());
}

void quad_functions() {
  const uint lane = assay_lane->index_in_simdgroup, quad = lane / 4, base = quad * 4;
  CHECK(quad_sum(lane) == 16 * quad + 6 && quad_max(lane) == base + 3 && quad_min(lane) == base);
  CHECK(quad_broadcast(lane, 2) == base + 2 && quad_broadcast_first(lane) == base &&
        quad_shuffle(lane, 3 - lane % 4) == base + 3 - lane % 4);
  CHECK(quad_shuffle_xor(lane, 1) == (lane ^ 1) && quad_shuffle_up(lane, 1) == (lane % 4 ? lane - 1 : lane));
  CHECK(quad_shuffle_down(lane, 1) == (lane % 4 < 3 ? lane + 1 : lane) &&
        quad_shuffle_rotate_up(lane, 1) == base + (lane + 3) % 4);
  CHECK(quad_prefix_inclusive_sum(1) == int(lane % 4) + 1 && quad_prefix_exclusive_sum(1) == int(lane % 4));
  CHECK(ulong(quad_ballot(lane % 4 == 1)) == 2 && quad_all(true) && quad_any(lane % 4 == 3) &&
        quad_is_first() == (lane % 4 == 0));
  CHECK(quad_product(2.0f) == 16 && quad_and(lane | 3) == (base | 3) &&
        ulong(quad_active_threads_mask()) == 15);
  CHECK(quad_shuffle_and_fill_up(lane, 100 + lane, 1) == (lane % 4 ? lane - 1 : 103 + lane));
}

// The memory holds 0 or what the previous call left; every lane adds.
void atomic_functions(void* memory) {
  auto* u = static_cast<atomic_uint*>(memory);
  auto* i = reinterpret_cast<atomic_int*>(u + 1);
  auto* f = reinterpret_cast<atomic<float>*>(u + 2);
  auto* l = reinterpret_cast<atomic_ulong*>(u + 4);
  auto* b = reinterpret_cast<atomic_bool*>(u + 6);
  const uint lane = assay_lane->index_in_simdgroup;
  atomic_fetch_add_explicit(u, 2u, memory_order_relaxed);
  atomic_fetch_min_explicit(i, -int(lane), memory_order_relaxed);
  atomic_fetch_add_explicit(f, 0.5f, memory_order_relaxed);
  atomic_fetch_sub_explicit(f, 0.25f, memory_order_relaxed);
  atomic_max_explicit(l, ulong(lane) << 33, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  CHECK(atomic_load_explicit(u, memory_order_relaxed) == 64 &&
        atomic_load_explicit(i, memory_order_relaxed) == -31);
  CHECK(atomic_load_explicit(f, memory_order_relaxed) == 8 &&
        atomic_load_explicit(l, memory_order_relaxed) == 31ul << 33);
  simdgroup_barrier(mem_flags::mem_none);
  if (lane != 0) return;
  uint expected = 63;
  CHECK(!atomic_compare_exchange_weak_explicit(u, &expected, 1, memory_order_relaxed, memory_order_relaxed));
  CHECK(expected == 64);
  CHECK(
      atomic_compare_exchange_weak_explicit(u, &expected, 0xF0u, memory_order_relaxed, memory_order_relaxed));
  CHECK(atomic_fetch_or_explicit(u, 0xFu, memory_order_relaxed) == 0xF0 &&
        atomic_fetch_and_explicit(u, 0x3Cu, memory_order_relaxed) == 0xFF);
  CHECK(atomic_fetch_xor_explicit(u, 1u, memory_order_relaxed) == 0x3C &&
        atomic_exchange_explicit(u, 7, memory_order_relaxed) == 0x3D);
  CHECK(atomic_fetch_max_explicit(i, 5, memory_order_relaxed) == -31 &&
        atomic_fetch_sub_explicit(i, 6, memory_order_relaxed) == 5);
  atomic_store_explicit(b, true, memory_order_relaxed);
  CHECK(atomic_load_explicit(b, memory_order_relaxed));
  atomic_store_explicit(f, -1.5f, memory_order_relaxed);
  CHECK(atomic_exchange_explicit((volatile atomic_float*)f, 2.0f, memory_order_relaxed) == -1.5f);
}

void synchronization_tells_flags_order_and_place(void* memory) {
#line 1001 "kernel.metal"
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup_barrier(mem_flags::mem_device, memory_scope_threadgroup);
  simdgroup_barrier(mem_flags::mem_none);
  atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
  atomic_fetch_add_explicit(static_cast<atomic_uint*>(memory), 3u, memory_order_release);
  simd_sum(1);
}

}  // extern "C"
