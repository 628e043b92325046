// y[m, n] = exp(x[m, n] - largest of x[m]) / their sum
#include "include/softmax_rows.h"

void reference() {
  each(M, [&](Index m) {
    const Number most = largest(N, [&](Index n) { return x(m, n); });
    const Number share = 1 / sum(N, [&](Index n) { return exp(x(m, n) - most); });
    for (Index n = 0; n < N; ++n) y(m, n) = exp(x(m, n) - most) * share;
  });
}
