/* The largest number of every window together with its place: what max pooling needs to know of its data later on.
 * A place counts the window's elements, padding included, as a number of the data's own type; NO_PLACE stands for a window
 * without a number. */
#ifndef MXND_WINDOWS_H
#define MXND_WINDOWS_H
#include "pooling.h"

enum { NO_PLACE = -1 };

#define POOL_TYPE f32
#define T float
#define LOWEST (-FLT_MAX)
#include "windows_type.h"
#undef POOL_TYPE
#undef T
#undef LOWEST
#define POOL_TYPE f64
#define T double
#define LOWEST (-DBL_MAX)
#include "windows_type.h"
#undef POOL_TYPE
#undef T
#undef LOWEST
#endif
