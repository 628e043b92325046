#ifndef SHAPES_H
#define SHAPES_H
namespace shapes { constant constexpr int kSides = 4; }
#endif
