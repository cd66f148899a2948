/* Quicksort of whole numbers in vectors; included by quick.h with K (the number), N (names), LANES, V and LOAD (a mask
   chooses lanes), and the few instructions that differ by width: MIN, MAX, MASK_MAX, LESS, PICK (lanes by number), PACK
   (store the chosen lanes side by side), SPLIT (bring the chosen lanes to the front, the others to the lanes of `top`). */
#define FULL ((unsigned)((1u << (LANES - 1) << 1) - 1u))
enum { N(base) = 16 * LANES };

/* One exchange within a vector: lanes i and i ^ by; `upper` are the lanes that keep the larger one. */
#define EXCHANGE(v, by, upper) do { V t_ = PICK(v, N(lanes)(by)); (v) = MASK_MAX(MIN(v, t_), upper, v, t_); } while (0)
#define BITS(b) ((LANES == 16 ? (b) : (b) & 0xff))
static ALWAYS V N(sorted)(V v) {
    EXCHANGE(v, 1, BITS(0xaaaa));
    EXCHANGE(v, 3, BITS(0xcccc)); EXCHANGE(v, 1, BITS(0xaaaa));
    EXCHANGE(v, 7, BITS(0xf0f0)); EXCHANGE(v, 2, BITS(0xcccc)); EXCHANGE(v, 1, BITS(0xaaaa));
    if (LANES == 16) {
        EXCHANGE(v, 15, 0xff00); EXCHANGE(v, 4, 0xf0f0); EXCHANGE(v, 2, 0xcccc); EXCHANGE(v, 1, 0xaaaa);
    }
    return v;
}
/* Order a vector whose lanes rise and then fall, or fall and then rise. */
static ALWAYS V N(cleaned)(V v) {
    if (LANES == 16) EXCHANGE(v, 8, 0xff00);
    EXCHANGE(v, 4, BITS(0xf0f0)); EXCHANGE(v, 2, BITS(0xcccc)); EXCHANGE(v, 1, BITS(0xaaaa));
    return v;
}
/* Exchanges between vectors `step` apart, 2 * run of them. */
static ALWAYS void N(across)(V *v, const int run, const int step) {
#pragma GCC unroll 16
    for (int i = 0; i < 2 * run; i++)
        if (!(i & step)) {
            V a = v[i], b = v[i + step];
            v[i] = MIN(a, b), v[i + step] = MAX(a, b);
        }
}
/* Merge two sorted runs of `run` vectors each: the second one is turned round first. */
static ALWAYS void N(merged)(V *v, const int run) {
    const V turn = N(lanes)(LANES - 1);
#pragma GCC unroll 16
    for (int i = 0; i < (run + 1) / 2; i++) {
        V a = PICK(v[run + i], turn), b = PICK(v[2 * run - 1 - i], turn);
        v[run + i] = b, v[2 * run - 1 - i] = a;
    }
    if (run >= 8) N(across)(v, run, 8);
    if (run >= 4) N(across)(v, run, 4);
    if (run >= 2) N(across)(v, run, 2);
    N(across)(v, run, 1);
#pragma GCC unroll 16
    for (int i = 0; i < 2 * run; i++) v[i] = N(cleaned)(v[i]);
}
/* n numbers, at most vectors * LANES of them. */
static ALWAYS void N(few)(K *a, P n, const int vectors) {
    V v[16];
#pragma GCC unroll 16
    for (int i = 0; i < vectors; i++) {
        P left = n - i * LANES;
        v[i] = N(sorted)(LOAD(left >= LANES ? FULL : left <= 0 ? 0 : (1u << left) - 1, a + i * LANES));
    }
    if (vectors > 1)
#pragma GCC unroll 16
        for (int i = 0; i < vectors; i += 2) N(merged)(v + i, 1);
    if (vectors > 2)
#pragma GCC unroll 16
        for (int i = 0; i < vectors; i += 4) N(merged)(v + i, 2);
    if (vectors > 4)
#pragma GCC unroll 16
        for (int i = 0; i < vectors; i += 8) N(merged)(v + i, 4);
    if (vectors > 8) N(merged)(v, 8);
#pragma GCC unroll 16
    for (int i = 0; i < vectors; i++) {
        P left = n - i * LANES;
        STORE(a + i * LANES, left >= LANES ? FULL : left <= 0 ? 0 : (1u << left) - 1, v[i]);
    }
}
static void N(base_sort)(K *a, P n) {
    if (n <= LANES) N(few)(a, n, 1);
    else if (n <= 2 * LANES) N(few)(a, n, 2);
    else if (n <= 4 * LANES) N(few)(a, n, 4);
    else if (n <= 8 * LANES) N(few)(a, n, 8);
    else N(few)(a, n, 16);
}

/* Median of numbers from all over the array: of more of them when it is long. */
static K N(pivot)(const K *a, P n) {
    K some[N(base)];
    P count = n < 16 * N(base) ? LANES : N(base) / 2, step = n / count;
    for (P i = 0; i < count; i++) some[i] = a[i * step];
    N(base_sort)(some, count);
    return some[count / 2];
}
/* Move the numbers below the pivot to the front, in place; returns how many.  n is above base.  AHEAD vectors from either
   end are held back: whenever as many have been read, both gaps can take a whole vector for each of them.  A vector is
   split into those below and the others, and stored whole at both gaps: what is too much there is overwritten later. */
static P N(divide)(K *a, P n, K pivot) {
    const V p = SPREAD(pivot);
    const P ahead = AHEAD * LANES;
    V first[AHEAD], last[AHEAD], v[AHEAD];
    P read = ahead, end = n - ahead, low = 0, high = n;      /* to read: [read, end); written: [0, low) and [high, n) */
    for (int i = 0; i < AHEAD; i++) first[i] = LOAD(FULL, a + i * LANES), last[i] = LOAD(FULL, a + end + i * LANES);
#define GIVE(v) do { \
        unsigned below_ = LESS(v, p); \
        P few_ = __builtin_popcount(below_); \
        V split_ = SPLIT(v, below_, FULL << few_); \
        STORE(a + low, FULL, split_); \
        STORE(a + high - LANES, FULL, split_); \
        low += few_, high -= LANES - few_; \
    } while (0)
#define GIVE_EXACTLY(v, lanes) do { \
        unsigned below_ = LESS(v, p) & (lanes), other_ = ~below_ & (lanes); \
        high -= __builtin_popcount(other_); \
        PACK(a + low, below_, v); \
        PACK(a + high, other_, v); \
        low += __builtin_popcount(below_); \
    } while (0)
    while (end - read >= ahead) {
        const K *from = a + read;
        if (read - low <= high - end) read += ahead;
        else end -= ahead, from = a + end;
#pragma GCC unroll 8
        for (int i = 0; i < AHEAD; i++) v[i] = LOAD(FULL, from + i * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < AHEAD; i++) GIVE(v[i]);
    }
    while (end - read >= LANES) {
        if (read - low <= high - end) v[0] = LOAD(FULL, a + read), read += LANES;
        else end -= LANES, v[0] = LOAD(FULL, a + end);
        GIVE(v[0]);
    }
    if (end > read) {
        unsigned lanes = (1u << (end - read)) - 1;
        v[0] = LOAD(lanes, a + read);
        GIVE_EXACTLY(v[0], lanes);
    }
    for (int i = 0; i < AHEAD; i++) {
        GIVE_EXACTLY(first[i], FULL);
        GIVE_EXACTLY(last[i], FULL);
    }
#undef GIVE
#undef GIVE_EXACTLY
    return low;
}
static void N(heap_sort)(K *a, P n) {
    for (P start = n / 2 - 1, end = n; end > 1; ) {
        K e;
        if (start >= 0) e = a[start];
        else e = a[--end], a[end] = a[0];
        P i = start >= 0 ? start-- : 0, child;
        for (; (child = 2 * i + 1) < end; i = child) {
            if (child + 1 < end && a[child] < a[child + 1]) child++;
            if (a[child] <= e) break;
            a[i] = a[child];
        }
        a[i] = e;
    }
}
/* The end of the first part, and (in *next) the start of the second: what lies between equals the pivot. */
static P N(halve)(K *a, P n, P *next) {
    K pivot = N(pivot)(a, n);
    P low = N(divide)(a, n, pivot);
    *next = low;
    if (low == 0) *next = pivot == (K)-1 ? n : N(divide)(a, n, pivot + 1);
    return low;
}
static void N(quick_part)(K *a, P n, int depth) {
    while (n > N(base)) {
        P next, low;
        if (depth-- == 0) {
            N(heap_sort)(a, n);
            return;
        }
        low = N(halve)(a, n, &next);
        if (low < n - next) {
            N(quick_part)(a, low, depth);
            a += next, n -= next;
        } else {
            N(quick_part)(a + next, n - next, depth);
            n = low;
        }
    }
    N(base_sort)(a, n);
}
static void N(quick)(K *a, P n) {
    int depth = 8;
    for (P m = n; m; m /= 2) depth += 2;
    N(quick_part)(a, n, depth);
}
#undef FULL
#undef EXCHANGE
#undef BITS
#undef K
#undef N
#undef LANES
#undef V
#undef LOAD
#undef STORE
#undef SPREAD
#undef MIN
#undef MAX
#undef MASK_MAX
#undef LESS
#undef PICK
#undef PACK
#undef SPLIT
