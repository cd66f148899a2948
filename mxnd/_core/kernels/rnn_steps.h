/* Products with packed weights, for one element type; included by rnn.h once per type. */
#define LANES (MM_BYTES / (ptrdiff_t)sizeof(T))
#define DEEP (1536 / (ptrdiff_t)sizeof(T))      /* rows of the packed weights that are used at a time */

/* A matrix (k x n) packed in blocks of columns.  The columns are dealt to `across` threads, `each` apiece; every thread has
 * `blocks` blocks of `wide` columns.  One block holds `parts` matrices, one behind the other. */
typedef struct { T *data; ptrdiff_t k, n, each, blocks, wide; int across, parts; } RN(packed);

static RN(packed) RN(layout)(ptrdiff_t k, ptrdiff_t n, int across, int parts)
{
    RN(packed) p = {.k = k, .n = n, .across = across, .parts = parts};
    const ptrdiff_t widest = MM_VECTORS * LANES;
    p.each = ((n + across - 1) / across + LANES - 1) / LANES * LANES;
    p.blocks = (p.each + widest - 1) / widest;
    p.wide = ((p.each + p.blocks - 1) / p.blocks + LANES - 1) / LANES * LANES;
    return p;
}
static inline ptrdiff_t RN(packed_size)(const RN(packed) *p)
{
    return p->across * p->blocks * p->wide * p->k * p->parts;
}

/* Columns of block b of part `a`: first, and how many (0 when there are none). */
static inline ptrdiff_t RN(block)(const RN(packed) *p, int a, ptrdiff_t b, ptrdiff_t *from)
{
    const ptrdiff_t end = MM_MIN(p->n, MM_MIN((a + 1) * p->each, a * p->each + (b + 1) * p->wide));
    *from = a * p->each + b * p->wide;
    return end > *from ? end - *from : 0;
}

/* Fill p from w: part i begins at w + i * apart; turned: stored as (n x k), else (k x n). */
static void RN(pack_all)(RN(packed) *p, const T *w, ptrdiff_t apart, int turned, int threads)
{
    const ptrdiff_t all = p->across * p->blocks * p->parts;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (ptrdiff_t q = 0; q < all; q++) {
        const ptrdiff_t part = q % p->parts, b = q / p->parts % p->blocks, a = q / p->parts / p->blocks;
        ptrdiff_t from;
        const ptrdiff_t cols = RN(block)(p, (int)a, b, &from);
        if (cols)
            MM(pack_b)(p->k, cols, w + part * apart + (turned ? from * p->k : from), turned ? p->k : p->n, turned,
                       p->data + q * p->wide * p->k, (cols + LANES - 1) / LANES * LANES);
    }
}

/* c (rows x cols) = or += x (rows x k, rows ldx apart) . rows first to first + k of part `part` of a block */
static void RN(times_block)(const RN(packed) *p, int a, ptrdiff_t b, int part, ptrdiff_t first, ptrdiff_t k, ptrdiff_t rows,
                            const T *x, ptrdiff_t ldx, int add, T *c, ptrdiff_t ldc, ptrdiff_t cols)
{
    const ptrdiff_t wide = (cols + LANES - 1) / LANES * LANES;
    const T *w = p->data + ((a * p->blocks + b) * p->parts + part) * p->wide * p->k;
    for (ptrdiff_t q = 0; q < k; q += DEEP)
        MM(panel)(rows, MM_MIN(DEEP, k - q), x + q, ldx, 1, w + (first + q) * wide, wide, 1, add || q, c, ldc, cols);
}

/* Rows r0 to r1 of the sequences, for part d of `down`. */
static inline void RN(rows)(const rnn_shape *s, const rnn_team *t, int d, ptrdiff_t *r0, ptrdiff_t *r1)
{
    mm_chunk(s->count, t->down, d, s->count >= 8 * t->down ? 8 : 1, r0, r1);
}

/* Sums of the columns of x (rows x n, rows ld apart). */
static void RN(column_sums)(ptrdiff_t rows, ptrdiff_t n, const T *x, ptrdiff_t ld, T *to, int threads)
{
    const int use = rows * n < 65536 ? 1 : threads;
#pragma omp parallel for num_threads(use) if (use > 1) schedule(static, 1)
    for (int t = 0; t < use; t++) {
        ptrdiff_t from, end;
        mm_chunk(n, use, t, LANES, &from, &end);
        for (ptrdiff_t j = from; j < end; j++)
            to[j] = 0;
        for (ptrdiff_t i = 0; i < rows; i++) {
            const T *row = x + i * ld;
#pragma omp simd
            for (ptrdiff_t j = from; j < end; j++)
                to[j] += row[j];
        }
    }
}

/* y = x * mask */
static void RN(masked)(ptrdiff_t n, const T *x, const T *mask, T *y, int threads)
{
    const int use = n < 65536 ? 1 : threads;
#pragma omp parallel for simd num_threads(use) if (parallel : use > 1) schedule(static)
    for (ptrdiff_t i = 0; i < n; i++)
        y[i] = x[i] * mask[i];
}

/* Numbers in parts of one piece of scratch memory, each on its own cache lines. */
static inline T *RN(piece)(char *base, size_t *used, ptrdiff_t n)
{
    T *at = (T *)(base + *used);
    *used += ((size_t)n * sizeof(T) + 63) / 64 * 64;
    return base ? at : NULL;
}
