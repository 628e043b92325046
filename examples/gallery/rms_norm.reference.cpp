// y[m, n] = x[m, n] * w[n] / sqrt(mean of x[m]^2 + eps)
void reference() {
  each(M, [&](Index m) {
    const Number mean = sum(N, [&](Index n) { return x(m, n) * x(m, n); }) / N;
    const Number scale = rsqrt(mean + eps(0));
    for (Index n = 0; n < N; ++n) y(m, n) = x(m, n) * scale * w(n);
  });
}
