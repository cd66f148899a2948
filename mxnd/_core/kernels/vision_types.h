/* Includes VISION_FILE once for float and once for double; no guard, as every header of vision operators asks for its own. */
#define VISION_TYPE f32
#define T float
#include VISION_FILE
#undef VISION_TYPE
#undef T
#define VISION_TYPE f64
#define T double
#include VISION_FILE
#undef VISION_TYPE
#undef T
#undef VISION_FILE
