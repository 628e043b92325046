void reference() {
  for (Index m = 0; m < M; ++m) y(m) = sum(N, [&](Index n) { return x(m, n); });
}
