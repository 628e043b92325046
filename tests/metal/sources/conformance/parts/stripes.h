// Beside the header that asks for it, and not beside the kernel.
#ifndef STRIPES_SEEN
#define STRIPES_SEEN
constant uint kStripes = 5;
#endif
