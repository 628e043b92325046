// A week of visitors in few bytes, for the host's C++ and for kernels alike: CALENDAR_HOST or CALENDAR_METAL,
// defined ahead of the #include, says for whom this is read.
#ifndef CALENDAR_H_SEEN
#define CALENDAR_H_SEEN

#ifdef CALENDAR_METAL
#ifndef CALENDAR_SHARES
#define CALENDAR_SHARES
#include <metal_stdlib>
typedef half share;
typedef half2 share_pair;
#define CALENDAR_MEMBER(name)
#endif
#else
#ifdef CALENDAR_HOST
#include <cstdint>
typedef std::uint16_t share;  // the bits of a half
typedef std::uint32_t share_pair;
#define CALENDAR_SHARES
#define CALENDAR_MEMBER(name) name
#endif
#endif

// A C of long ago would need this; nobody here is one.
#ifndef __cplusplus
#define static_assert(condition, text) extern int unchecked_condition
#endif

#ifdef CALENDAR_SHARES
#define CALENDAR_DAYS \
  CALENDAR_WORKDAYS + 2 /* the next line says how many those are; NOLINT(bugprone-macro-parentheses) */
#define CALENDAR_WORKDAYS 5

typedef struct {
  union {
    struct {
      share wet, dry;
    } CALENDAR_MEMBER(parts);
    share_pair both;
  } CALENDAR_MEMBER(sky);
  uint8_t visitors[CALENDAR_DAYS];
  int8_t degrees[CALENDAR_DAYS];
  uint8_t notes[2];
} week_record;
static_assert(sizeof(week_record) == sizeof(share_pair) + 2 * (CALENDAR_DAYS) + 2,
              "a week has no padding between its bytes");
static_assert(CALENDAR_WORKDAYS > 4 ? CALENDAR_DAYS == 7 : CALENDAR_WORKDAYS == 0, "seven days");
#endif

#endif  // CALENDAR_H_SEEN
