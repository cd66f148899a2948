/* One pass over a stretch of every array, for one element type T.  a: weight, gradient, states..., new weight;
   d: lr, wd, rescale, clip, then what the method needs.  Arrays may be the same (new weight = weight), element by
   element, hence the simd pragmas. */
#define STEP(name) static void NAME(name)(T **a, ptrdiff_t n, const double *d)
#define START T *w = a[0], *g = a[1], lr = (T)d[0], wd = (T)d[1], rescale = (T)d[2]; \
    T most = d[3] >= 0 ? (T)d[3] : (T)INFINITY; (void)lr, (void)wd, (void)rescale, (void)most;
#define CLIP(x) ((x) > most ? most : (x) < -most ? -most : (x))
#define BETWEEN(x, m) ((x) > (m) ? (m) : (x) < -(m) ? -(m) : (x))
#define EACH _Pragma("omp simd") for (ptrdiff_t i = 0; i < n; i++)

STEP(sgd) {
    START T *o = a[2], keep = (T)(1 - d[0] * d[1]);
    EACH { T h = g[i] * rescale; o[i] = keep * w[i] - lr * CLIP(h); }
}
STEP(sgd_mom) {
    START T *m = a[2], *o = a[3], mu = (T)d[4], decay = (T)(d[0] * d[1]);
    EACH {
        T h = g[i] * rescale, v = mu * m[i] - decay * w[i] - lr * CLIP(h);
        m[i] = v, o[i] = w[i] + v;
    }
}
STEP(nag_mom) {
    START T *m = a[2], *o = a[3], mu = (T)d[4];
    EACH {
        T h = g[i] * rescale, u = CLIP(h) + wd * w[i], v = mu * m[i] - lr * u;
        m[i] = v, o[i] = w[i] + mu * v - lr * u;
    }
}
STEP(adam) {                                             /* wd joins the gradient before clipping */
    START T *m = a[2], *v = a[3], *o = a[4], b1 = (T)d[4], b2 = (T)d[5], eps = (T)d[6], c1 = (T)(1 - d[4]), c2 = (T)(1 - d[5]);
    EACH {
        T h = g[i] * rescale + wd * w[i], u = CLIP(h), x = b1 * m[i] + c1 * u, y = b2 * v[i] + c2 * u * u;
        m[i] = x, v[i] = y, o[i] = w[i] - lr * x / (SQRT(y) + eps);
    }
}
STEP(adamw) {                                            /* d[7]: eta */
    START T *m = a[2], *v = a[3], *o = a[4], b1 = (T)d[4], b2 = (T)d[5], eps = (T)d[6], c1 = (T)(1 - d[4]), c2 = (T)(1 - d[5]);
    T eta = (T)d[7];
    EACH {
        T h = g[i] * rescale, u = CLIP(h), x = b1 * m[i] + c1 * u, y = b2 * v[i] + c2 * u * u;
        m[i] = x, v[i] = y, o[i] = w[i] - eta * (lr * x / (SQRT(y) + eps) + wd * w[i]);
    }
}
STEP(ftrl) {                                             /* lamda1, beta */
    START T *z = a[2], *s = a[3], *o = a[4], l1 = (T)d[4], beta = (T)d[5], per = (T)(1 / d[0]);
    EACH {
        T h = g[i] * rescale, u = CLIP(h), was = s[i], now = was + u * u, root = SQRT(now);
        T x = z[i] + u - (root - SQRT(was)) * w[i] * per, far = x > l1 ? x - l1 : x < -l1 ? x + l1 : x != x ? x : 0;
        z[i] = x, s[i] = now, o[i] = -far / ((beta + root) * per + wd);
    }
}
STEP(rmsprop) {                                          /* gamma1, epsilon, clip_weights */
    START T *s = a[2], *o = a[3], k = (T)d[4], c = (T)(1 - d[4]), eps = (T)d[5], wide = d[6] >= 0 ? (T)d[6] : (T)INFINITY;
    EACH {
        T h = g[i] * rescale + wd * w[i], u = CLIP(h), x = k * s[i] + c * u * u, y = w[i] - lr * u / SQRT(x + eps);
        s[i] = x, o[i] = BETWEEN(y, wide);
    }
}
STEP(rmspropalex) {                                      /* gamma1, gamma2, epsilon, clip_weights */
    START T *s = a[2], *mean = a[3], *move = a[4], *o = a[5], k = (T)d[4], c = (T)(1 - d[4]), mu = (T)d[5], eps = (T)d[6];
    T wide = d[7] >= 0 ? (T)d[7] : (T)INFINITY;
    EACH {
        T h = g[i] * rescale + wd * w[i], u = CLIP(h), x = k * s[i] + c * u * u, m = k * mean[i] + c * u;
        T v = mu * move[i] - lr * u / SQRT(x - m * m + eps), y = w[i] + v;
        s[i] = x, mean[i] = m, move[i] = v, o[i] = BETWEEN(y, wide);
    }
}
STEP(signsgd) {
    START T *o = a[2], keep = (T)(1 - d[0] * d[1]);
    EACH { T s = g[i] > 0 ? 1 : g[i] < 0 ? -1 : 0; o[i] = keep * w[i] - lr * s; }
}
STEP(signum) {                                           /* momentum, wd_lh */
    START T *m = a[2], *o = a[3], mu = (T)d[4], c = (T)(1 - d[4]), keep = (T)(1 - d[0] * d[5]);
    EACH {
        T h = g[i] * rescale, v = mu * m[i] - c * (wd * w[i] + CLIP(h)), s = v > 0 ? 1 : v < 0 ? -1 : 0;
        m[i] = v, o[i] = keep * w[i] + lr * s;
    }
}
STEP(ftml) {                                             /* beta1, beta2, epsilon, t */
    START T *e = a[2], *v = a[3], *z = a[4], *o = a[5], b1 = (T)d[4], b2 = (T)d[5], eps = (T)d[6];
    T c1 = (T)(1 - d[4]), c2 = (T)(1 - d[5]);
    T up = (T)((1 - pow(d[4], d[7])) / d[0]), per = (T)(1 / (1 - pow(d[5], d[7])));
    EACH {
        T h = g[i] * rescale + wd * w[i], u = CLIP(h), y = b2 * v[i] + c2 * u * u, t = up * (SQRT(y * per) + eps);
        T x = b1 * z[i] + c1 * u - (t - b1 * e[i]) * w[i];
        v[i] = y, e[i] = t, z[i] = x, o[i] = -x / t;
    }
}
STEP(lamb1) {                                            /* beta1, beta2, epsilon, 1 / bias of mean, 1 / bias of var */
    START T *m = a[2], *v = a[3], *o = a[4], b1 = (T)d[4], b2 = (T)d[5], eps = (T)d[6], c1 = (T)(1 - d[4]), c2 = (T)(1 - d[5]);
    T pm = (T)d[7], pv = (T)d[8];
    EACH {
        T h = g[i] * rescale, u = CLIP(h), x = b1 * m[i] + c1 * u, y = b2 * v[i] + c2 * u * u;
        m[i] = x, v[i] = y, o[i] = x * pm / (SQRT(y * pv) + eps) + wd * w[i];
    }
}
STEP(adagrad) {                                          /* epsilon */
    START T *s = a[2], *o = a[3], eps = (T)d[4];
    EACH {
        T h = g[i] * rescale, u = CLIP(h), x = s[i] + u * u;
        s[i] = x, o[i] = w[i] - lr * (u / SQRT(x + eps) + wd * w[i]);
    }
}
#undef STEP
#undef START
#undef CLIP
#undef BETWEEN
#undef EACH
