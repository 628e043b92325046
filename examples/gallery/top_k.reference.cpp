// values[m] and indices[m]: the K largest of x[m], the largest first, and of equal ones the first
void reference() {
  for (Index m = 0; m < M; ++m) {
    Index last = -1;
    for (Index place = 0; place < K; ++place) {
      Index best = -1;
      for (Index n = 0; n < N; ++n) {
        const bool is_left = last < 0 || x(m, n) < x(m, last) || (x(m, n) == x(m, last) && n > last);
        if (is_left && (best < 0 || x(m, n) > x(m, best))) best = n;
      }
      values(m, place) = x(m, best);
      indices(m, place) = best;
      last = best;
    }
  }
}
