/* Sorting and selection for one kind of item; included by sort.h with E (an item: key and place), N (names),
   FIRST(a, b) (by key, then place), DIGIT(e, pass) (8 bits of the key), PASSES and, if there is one, QUICK.  All of it
   is stable: equal keys keep their order. */

static void N(insertion)(E *a, P n) {
    for (P i = 1; i < n; i++) {
        E e = a[i];
        P j = i;
        for (; j > 0 && FIRST(e, a[j - 1]); j--) a[j] = a[j - 1];
        a[j] = e;
    }
}
/* Runs of 16 by insertion, then merged back and forth. */
static void N(merge_sort)(E *a, E *other, P n) {
    E *from = a, *to = other;
    for (P i = 0; i < n; i += 16) N(insertion)(a + i, n - i < 16 ? n - i : 16);
    for (P run = 16; run < n; run *= 2) {
        for (P i = 0; i < n; i += 2 * run) {
            P p = i, middle = i + run < n ? i + run : n, q = middle, end = i + 2 * run < n ? i + 2 * run : n;
            for (P k = i; k < end; k++) {
                int right = q < end && (p >= middle || FIRST(from[q], from[p]));
                to[k] = right ? from[q++] : from[p++];
            }
        }
        E *t = from;
        from = to, to = t;
    }
    if (from != a) memcpy(a, from, (size_t)n * sizeof(E));
}
/* Least significant digit first; a digit that all keys share is left out. */
static void N(radix_sort)(E *a, E *other, P n) {
    P count[PASSES][256];
    E *from = a, *to = other;
    memset(count, 0, sizeof count);
    for (P i = 0; i < n; i++)
        for (int pass = 0; pass < PASSES; pass++) count[pass][DIGIT(a[i], pass)]++;
    for (int pass = 0; pass < PASSES; pass++) {
        P *c = count[pass], at = 0;
        if (c[DIGIT(a[0], pass)] == n) continue;
        for (int d = 0; d < 256; d++) {
            P m = c[d];
            c[d] = at;
            at += m;
        }
        for (P i = 0; i < n; i++) {
            E e = from[i];
            to[c[DIGIT(e, pass)]++] = e;
        }
        E *t = from;
        from = to, to = t;
    }
    if (from != a) memcpy(a, from, (size_t)n * sizeof(E));
}
static void N(sort)(E *a, E *other, P n) {
#ifdef QUICK
    QUICK(a, n);
    (void)other;
#else
    if (n <= 32) N(insertion)(a, n);
    else if (n < 64 * PASSES) N(merge_sort)(a, other, n);
    else N(radix_sort)(a, other, n);
#endif
}

/* Move the k first items, in any order, to the front (0 < k < n). */
static void N(split)(E *a, P n, P k) {
    P low = 0, high = n - 1;
    while (low < high) {
        P middle = low + (high - low) / 2, i = low, j = high;
        E p = a[low], q = a[middle], r = a[high];
        E pivot = FIRST(p, q) ? (FIRST(q, r) ? q : FIRST(p, r) ? r : p) : (FIRST(p, r) ? p : FIRST(q, r) ? r : q);
        while (i <= j) {
            while (FIRST(a[i], pivot)) i++;
            while (FIRST(pivot, a[j])) j--;
            if (i <= j) {
                E t = a[i];
                a[i++] = a[j], a[j--] = t;
            }
        }
        if (k - 1 <= j) high = j;
        else if (k - 1 >= i) low = i;
        else return;
    }
}
/* The k first of the n items at x, sorted, to the front of a, which has room for 2 k + 2 BLOCK items (as has other):
   whatever cannot be among them any more is passed over, a block at a time. */
static void N(first)(const char *x, P n, P stride, int type, int flags, P k, E *a, E *other) {
    KEY keys[BLOCK], limit = 0;
    P held = 0;
    int limited = 0;
    for (P at = 0; at < n; at += BLOCK) {
        P m = n - at < BLOCK ? n - at : BLOCK;
        int some = !limited;
        N(keys)(x, at, m, stride, type, flags, keys);
        if (limited)
            for (P i = 0; i < m; i++) some |= keys[i] < limit;
        if (!some) continue;
        for (P i = 0; i < m; i++)
            if (!limited || keys[i] < limit) a[held++] = MAKE(keys[i], at + i);
        if (held >= 2 * k + BLOCK) {
            N(split)(a, held, k);
            held = k;
            E last = a[0];
            for (P i = 1; i < k; i++) last = FIRST(last, a[i]) ? a[i] : last;
            limit = KEY_OF(last), limited = 1;
        }
    }
#ifdef QUICK
    limited = 0;
#endif
    if (limited) N(merge_sort)(a, other, held);          /* splitting mixed the places */
    else N(sort)(a, other, held);
}
/* The k first items of n in order, at the front of a. */
static void N(order)(const char *x, P n, P stride, int type, int flags, P k, E *a, E *other) {
    if (is_few(n, k)) {
        N(first)(x, n, stride, type, flags, k, a, other);
        return;
    }
    for (P at = 0; at < n; at += BLOCK) {
        KEY keys[BLOCK];
        P m = n - at < BLOCK ? n - at : BLOCK;
        N(keys)(x, at, m, stride, type, flags, keys);
        for (P i = 0; i < m; i++) a[at + i] = MAKE(keys[i], at + i);
    }
    N(sort)(a, other, n);
}
#undef E
#undef N
#undef KEY
#undef FIRST
#undef DIGIT
#undef PASSES
#undef MAKE
#undef KEY_OF
#undef QUICK
