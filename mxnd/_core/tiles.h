/* Runs a chain of elementwise loops over tiles.  Data from beyond the cache comes in tiles so small that the processor
   already loads the next one while it still computes this one: the arithmetic hides the memory.  Data in the cache
   comes in larger tiles, which cost fewer calls. */
#ifndef MXND_TILES_H
#define MXND_TILES_H
#include <string.h>
#include "call.h"

enum { MXND_TILE_FAR = 64, MXND_TILE_NEAR = 1024, MXND_TILE_ALIGN = 64 };

/* Elements of a tile, for so many bytes of arrays. */
static inline ptrdiff_t mxnd_tile(ptrdiff_t bytes) { return bytes > 1 << 20 ? MXND_TILE_FAR : MXND_TILE_NEAR; }

/* One loop of the chain: its operands at the first tile, their strides (0 or 1), the bytes from a tile to the next. */
typedef struct {
    mxnd_loop loop;
    const char *a, *b;
    char *o;
    ptrdiff_t sa, sb, a_step, b_step, o_step;
} mxnd_part;

/* All parts over n elements.  The operands move on. */
static inline void mxnd_tiles(mxnd_part *parts, int count, ptrdiff_t n, ptrdiff_t tile) {
    for (; n > 0; n -= tile) {
        ptrdiff_t m = n < tile ? n : tile;
        for (mxnd_part *p = parts; p < parts + count; p++) {
            p->loop(p->a, p->sa, p->b, p->sb, p->o, m);
            p->a += p->a_step, p->b += p->b_step, p->o += p->o_step;
        }
    }
}

static inline char *mxnd_tile_aligned(char *p) {
    return (char *)(((uintptr_t)p + MXND_TILE_ALIGN - 1) & ~(uintptr_t)(MXND_TILE_ALIGN - 1));
}

/* A constant for tiles of that size, and its stride: some loops would repeat a lone number anew for every small tile. */
static inline ptrdiff_t mxnd_tile_constant(char *to, const char *number, int item, ptrdiff_t tile) {
    int n = tile == MXND_TILE_FAR ? MXND_TILE_FAR : 1;
    for (int k = 0; k < n; k++) memcpy(to + k * item, number, (size_t)item);
    return n > 1;
}
#endif
