"""Classes drawn by their rank, for arrays and symbols alike: P(k) = log((k + 2) / (k + 1)) / log(range_max + 1)."""
import math


def rand_zipfian(uniform, true_classes, num_sampled, range_max):
    """(drawn classes, expected counts of the true classes, expected counts of the drawn ones).

    uniform(low, high, shape, dtype) makes random numbers of the kind of true_classes."""
    if range_max < 1:
        raise ValueError(f"rand_zipfian: range_max is out of range; expected a whole number above 0, got {range_max}")
    whole = math.log(range_max + 1)
    drawn = (uniform(0, whole, (num_sampled,), "float64").exp() - 1).astype("int64") % range_max

    def expected(classes):
        rank = classes.astype("float64") + 1.0
        return ((rank + 1.0) / rank).log() / whole * num_sampled
    return drawn, expected(true_classes), expected(drawn)
