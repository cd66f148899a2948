"""Operators that are also methods of NDArray and of Symbol."""

METHODS = tuple("""
abs arccos arccosh arcsin arcsinh arctan arctanh argmax argmax_channel argmin argsort broadcast_axes cbrt ceil clip
cos cosh degrees depth_to_space exp expm1 fix flip floor log log10 log1p log2 log_softmax max mean min nanprod nansum
norm one_hot ones_like pad pick prod radians rcbrt reciprocal relu repeat reshape_like rint round rsqrt shape_array
sigmoid sign sin sinh size_array slice slice_axis slice_like softmax softmin sort space_to_depth split sqrt
square sum swapaxes take tan tanh tile topk trunc zeros_like
""".split())
