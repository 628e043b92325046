// Class templates: parameters worked out of others, dependent names, static members, deduction.
#include <metal_stdlib>
using namespace metal;

// Only dice with six sides are made.
template <typename T, int Sides>
struct Die {
  static_assert(Sides == 6, "a die has six sides");
};
template <typename T>
struct Die<T, 6> {
  typedef vec<T, 4> throws_type;
  typedef matrix<T, 2, 4> rounds_type;
  static constant constexpr const int sides = 6;

  METAL_FUNC static constexpr T all_eyes() {
    T eyes = 0;
    for (int k = 1; k <= sides; ++k) eyes += T(k);
    return eyes;
  }
  static METAL_FUNC T sum(throws_type x) { return x.x + x.y + x.z + x.w; }
  METAL_FUNC static T sum(rounds_type x) { return sum(x[0]) * sum(x[1]); }
};

// What the threads of a threadgroup read of a tape and put on a desk, a stretch at a time.
template <typename T, short Stretch, int Threads, short Each = Stretch / Threads, short Spare = Each * 2>
class Reader {
 public:
  static constant constexpr const short each = Each;
  struct alignas(Each * sizeof(T)) Piece {
    T items[each];
  };

  const short index, step;
  const short first = index * Each;
  device const T *tape;
  threadgroup T *desk;

  METAL_FUNC Reader(device const T *start, threadgroup T *desk, ushort index [[thread_index_in_threadgroup]])
      : index(short(index)), step(Stretch), tape(start + first), desk(desk + first) {}
  METAL_FUNC void wind(int stretches = 1) {
    tape += stretches * step;
  }
  METAL_FUNC void read() const {
    *(threadgroup Piece *)desk = *(device const Piece *)tape;
  }
  METAL_FUNC void read_some(short left) const {
    left -= first;
    for (short k = 0; k < Each; ++k) desk[k] = k < left ? tape[k] : T(-1);
  }
  template <short Twice>
  METAL_FUNC short spare() const {
    return Spare + Twice * 2;
  }
};

// A change of every element, by whatever has an apply().
template <typename T, int Rows, int Columns, class Dice = Die<T, 6>>
struct Grid {
  static_assert(Rows > 0 && Columns > 0, "an empty grid");
  typedef Dice dice;
  T at[Rows][Columns];

  thread T &cell(int r, int c) { return at[r][c]; }
  const thread T &cell(int r, int c) const { return at[r][c]; }
  template <typename Change>
  METAL_FUNC void change(const thread Change &by) {
    for (int r = 0; r < Rows; ++r)
      for (int c = 0; c < Columns; ++c) cell(r, c) = by.apply(cell(r, c));
  }
  template <typename Change>
  METAL_FUNC void change_wrongly(Change by) {
    at[0][0] = by.nothing_has_this(at);
  }
};
template <typename T>
struct Affine {
  T factor, term;
  METAL_FUNC T apply(T x) const { return x * factor + term; }
};

// out += x * y; two of them may be the same.
template <typename T, int A, int B, int C>
METAL_FUNC void add_product(thread Grid<T, A, C> &out, const thread Grid<T, A, B> &x, thread Grid<T, B, C> &y) {
  static_assert(A * B * C <= 64, "small products only");
  const Grid<T, B, C> kept = y;
  for (int r = 0; r < A; ++r)
    for (int c = 0; c < C; ++c)
      for (int k = 0; k < B; ++k) out.cell(r, c) += x.cell(r, k) * kept.cell(k, c);
}

template <typename T, short Stretch, bool Backwards, bool Narrow = !Backwards>
kernel void play(device const T *tape [[buffer(0)]], device T *out [[buffer(1)]],
                 constant int &length [[buffer(2)]], ushort i [[thread_index_in_threadgroup]]) {
  using Tape = Reader<T, Backwards ? Stretch : Stretch * 2, 8>;
  using Square = Grid<float, !Narrow ? 3 : 2, 2>;
  constexpr int pitch = Stretch * (Narrow ? 2 : 1);
  threadgroup T desk[(Narrow ? pitch : pitch + 1) * 2 + 16 / sizeof(T)];
  Tape reader(tape, desk, i);
  reader.read();
  reader.wind();
  reader.desk += pitch;
  reader.read_some(short(length - pitch));
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int k = i; k < 2 * pitch; k += 8) out[k] = desk[Backwards ? 2 * pitch - 1 - k : k];
  if (i == 0) {
    Square square = {{{1, 2}, {3, 4}}};
    const Grid<float, 2, 2> unit = {{{1, 0}, {0, 1}}};
    add_product(square, unit, square);
    square.change(Affine<float>{2, 1});
    device T *row = out + 2 * pitch;
    row[0] = square.cell(0, 0) * 1000 + square.cell(1, 1);
    row[1] = decltype(reader)::each * 100 + reader.template spare<3>();
    row[2] = Square::dice::all_eyes() + Die<int, 6>::sides;
    typename Die<T, 6>::rounds_type rounds(typename Die<T, 6>::throws_type(1, 2, 3, 4), vec<T, 4>(2));
    row[3] = Die<T, 6>::sum(rounds);
  }
}
template [[host_name("play_ahead")]] kernel decltype(play<float, 8, 0>) play<float, 8, 0>;
template [[host_name("play_back")]] kernel decltype(play<half, 16, true>) play<half, 16, true>;
