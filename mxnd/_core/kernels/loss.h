/* Loss kernels for both types. */
#ifndef MXND_LOSS_H
#define MXND_LOSS_H
#include "call.h"
#include "loops/math.h"
#define SMALL 32768             /* fewer elements are not worth a second thread */
#define T float
#define NAME(x) x##_f32
#include "loss_type.h"
#undef T
#undef NAME
#define T double
#define NAME(x) x##_f64
#include "loss_type.h"
#undef T
#undef NAME
#endif
