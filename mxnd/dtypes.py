"""The dtypes of arrays; bfloat16 has no NumPy class, so it is one of ours."""


class bfloat16:
    """The dtype of arrays that hold the upper half of float32; `asnumpy` gives float32."""

    name = "bfloat16"
    itemsize = 2
