// C[m, n] = (sum of A[m, k] * W[n, k], which is exact) * A_scales[m] * W_scales[n]
void reference() {
  for (Index m = 0; m < M; ++m) {
    for (Index n = 0; n < N; ++n) {
      Index total = 0;
      for (Index k = 0; k < K; ++k) total += A(m, k) * W(n, k);
      C(m, n) = Number(total) * A_scales(m) * W_scales(n);
    }
  }
}
