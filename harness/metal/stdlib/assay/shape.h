// What the memory behind a kernel's parameters holds, as a table that harness/metal/shape_records.cpp reads:
// where pointers lie in it, under which names, and what they lead to.
#pragma once

#include "metal/array.h"
#include "metal/matrix.h"
#include "metal/scalar_types.h"
#include "metal/synchronize.h"
#include "metal/vec.h"

namespace assay_entry {

/// Numbered as device::MemoryShape::Kind is.
enum part_kind : unsigned {
  part_unknown,
  part_pointer,
  part_structure,
  part_array,
  part_matrix,
  part_uchar,
  part_char,
  part_ushort,
  part_short,
  part_uint,
  part_int,
  part_ulong,
  part_long,
  part_float,
  part_half,
  part_bfloat,
  part_bool,
  part_end,
};

/// A part of memory. Those that make it up stand behind it, one deeper: the members of a structure, the element
/// of an array, what a pointer leads to.
struct part {
  const char* name;  ///< of a member; else ""
  unsigned depth, kind, offset, size, align;
  unsigned count;      ///< of an array; components of a vector
  unsigned read_only;  ///< a pointer through which nothing can be written
  unsigned single;     ///< a reference
  unsigned constant;   ///< a pointer to constant memory, as far as the member says so itself
};

constexpr unsigned kMostParts = 4000, kMostPointers = 3;

struct parts_counter {
  unsigned n = 0;
  constexpr bool full() const { return n >= kMostParts; }
  constexpr void add(const part&) { ++n; }
};
template <unsigned N>
struct parts_list {
  part parts[N] = {};
  unsigned n = 0;
  constexpr bool full() const { return n >= kMostParts; }
  constexpr void add(const part& one) { parts[n++] = one; }
};

template <class T, bool Enumeration = __is_enum(T)>
struct scalar_part {
  static constexpr unsigned kind = part_unknown, count = 1;
};
template <class T>
struct scalar_part<T, true> : scalar_part<__underlying_type(T)> {};
#define ASSAY_SCALAR_PART(type, number)                 \
  template <>                                           \
  struct scalar_part<type> {                            \
    static constexpr unsigned kind = number, count = 1; \
  };
ASSAY_SCALAR_PART(uchar, part_uchar)
ASSAY_SCALAR_PART(signed char, part_char)
ASSAY_SCALAR_PART(char, part_char)
ASSAY_SCALAR_PART(ushort, part_ushort)
ASSAY_SCALAR_PART(short, part_short)
ASSAY_SCALAR_PART(uint, part_uint)
ASSAY_SCALAR_PART(int, part_int)
ASSAY_SCALAR_PART(ulong, part_ulong)
ASSAY_SCALAR_PART(long, part_long)
ASSAY_SCALAR_PART(unsigned long long, part_ulong)
ASSAY_SCALAR_PART(long long, part_long)
ASSAY_SCALAR_PART(float, part_float)
ASSAY_SCALAR_PART(half, part_half)
ASSAY_SCALAR_PART(bfloat, part_bfloat)
ASSAY_SCALAR_PART(bool, part_bool)
#undef ASSAY_SCALAR_PART
template <class T, int N>
struct scalar_part<assay_msl::vec<T, N>> {
  static constexpr unsigned kind = scalar_part<T>::kind, count = N;
};
template <class T, int N, class V>
struct scalar_part<assay_msl::packed_vec<T, N, V>> : scalar_part<assay_msl::vec<T, N>> {};
template <class T>
struct scalar_part<assay_msl::_atomic<T>> : scalar_part<T> {};

/// Where it is in the tree, and in how many pointers.
struct part_place {
  unsigned depth = 0, pointers = 0;
  unsigned long offset = 0;
  bool constant = false;
};

template <class T, class To>
constexpr void describe(To& to, const char* name, part_place at);

// What lowering writes for each struct: assay_members(to, (const S*)nullptr) names them in turn.
template <class To>
struct members_to {
  To& to;
  part_place at;
  template <class M>
  constexpr void member(const char* name, unsigned long offset, bool constant = false) {
    describe<M>(to, name, {at.depth, at.pointers, offset, constant});
  }
};
template <class T, class To>
constexpr auto has_members(int)
    -> decltype(assay_members(*(members_to<To>*)nullptr, (const T*)nullptr), true) {
  return true;
}
template <class T, class To>
constexpr bool has_members(long) {
  return false;
}
template <class T>
constexpr auto size_or_none(int) -> decltype(sizeof(T)) {
  return sizeof(T);
}
template <class T>
constexpr size_t size_or_none(long) {
  return 0;  // of `void`, a function, a struct that is only named
}
template <class T>
constexpr unsigned align_or_none() {
  if constexpr (size_or_none<T>(0) == 0) return 1;
  else return alignof(T);
}

template <class T>
struct described {
  template <class To>
  static constexpr void into(To& to, const char* name, part_place at) {
    constexpr bool known = scalar_part<T>::kind == part_unknown && has_members<T, To>(0);
    to.add({name, at.depth, known ? part_structure : scalar_part<T>::kind, unsigned(at.offset),
            unsigned(size_or_none<T>(0)), align_or_none<T>(), scalar_part<T>::count, 0, 0, 0});
    if constexpr (known) {
      members_to<To> members{to, {at.depth + 1, at.pointers, 0}};
      assay_members(members, (const T*)nullptr);
    }
  }
};
template <class T, unsigned Single>
struct described_pointer {
  template <class To>
  static constexpr void into(To& to, const char* name, part_place at) {
    to.add({name, at.depth, part_pointer, unsigned(at.offset), sizeof(void*), alignof(void*), 1, assay_msl::is_const_v<T>, Single, at.constant});
    if (at.pointers < kMostPointers) describe<T>(to, "", {at.depth + 1, at.pointers + 1, 0});
  }
};
template <class T>
struct described<T*> : described_pointer<T, 0> {};
template <class T>
struct described<T&> : described_pointer<T, 1> {};
template <class T, size_t N, unsigned Kind>
struct described_array {
  template <class To>
  static constexpr void into(To& to, const char* name, part_place at) {
    to.add({name, at.depth, Kind, unsigned(at.offset), unsigned(sizeof(T) * N), align_or_none<T>(), unsigned(N), 0, 0, 0});
    describe<T>(to, "", {at.depth + 1, at.pointers, 0, at.constant});
  }
};
template <class T, size_t N>
struct described<T[N]> : described_array<T, N, part_array> {};
template <class T, int Columns, int Rows>
struct described<assay_msl::matrix<T, Columns, Rows>> : described_array<assay_msl::vec<T, Rows>, Columns, part_matrix> {};
template <class T, size_t N>
struct described<assay_msl::array<T, N>> : described<T[N ? N : 1]> {};

template <class T, class To>
constexpr void describe(To& to, const char* name, part_place at) {
  if (!to.full()) described<assay_msl::remove_cv_t<T>>::into(to, name, at);
}

/// The table of a parameter, which ends in part_end.
template <class P>
struct shape_of {
  static constexpr unsigned count() {
    parts_counter counter;
    describe<P>(counter, "", {});
    return counter.n;
  }
  static constexpr parts_list<count() + 1> list() {
    parts_list<count() + 1> made;
    describe<P>(made, "", {});
    made.add({nullptr, 0, part_end, 0, 0, 1, 0, 0, 0, 0});
    return made;
  }
  static constexpr parts_list<count() + 1> all = list();
};

}  // namespace assay_entry
