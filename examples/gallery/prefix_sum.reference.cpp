// y[n] = x[0] + ... + x[n], in any order; and what a launch leaves of its tiles of 256
void reference() {
  Number running = 0;
  for (Index n = 0; n < N; ++n) {
    running += x(n);
    y(n) = running;
    if ((n + 1) % 256 == 0 || n + 1 == N) prefixes(n / 256) = running;
  }
  for (Index tile = 0; tile < sums.size(); ++tile) {
    const Index first = 256 * tile, count = N - first < 256 ? N - first : 256;
    sums(tile) = sum(count, [&](Index i) { return x(first + i); });
    states(tile) = 2;
  }
  begun(0) = sums.size();
}
