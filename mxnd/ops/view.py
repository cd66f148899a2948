"""Parts of an array's memory: what views are to autograd."""
from .declare import F, op
from .params import integer, shape
from .shapes import forward, size


def _within(whole, part, start):
    if start + size(part) > size(whole):
        raise ValueError(f"{size(part)} elements from number {start} on do not lie within {size(whole)}")


def _part_shape(p, s):
    _within(s, p.shape, p.start)
    return p.shape


def _whole_shape(p, s):
    _within(p.shape, s, p.start)
    return p.shape


op("_part", params={"shape": shape(), "start": integer(at_least=0)}, kernel="part",
   shapes=forward(_part_shape), arguments=lambda p, ins, outs: [p.start],
   grad=lambda p, g, x, y: [F._whole(g[0], shape=x[0].shape, start=p.start)], auto_variables=False,
   public=lambda p, x: F.Reshape(F.slice_axis(F.Reshape(x, shape=(-1,)), axis=0, begin=p.start, end=p.start + size(p.shape)),
                                 shape=p.shape),
   doc="Consecutive elements of an array, from number start on, under a shape.")
op("_whole", params={"shape": shape(), "start": integer(at_least=0)}, kernel="whole",
   shapes=forward(_whole_shape), arguments=lambda p, ins, outs: [p.start],
   grad=lambda p, g, x, y: [F._part(g[0], shape=x[0].shape, start=p.start)], auto_variables=False,
   doc="Zeros of a shape, with an array's elements from number start on: the adjoint of _part.")
op("_custom_function", inputs="data", params={"function": shape(), "count": integer()}, variadic="count",
   outputs=lambda p: [f"output{i}" for i in range(p.function.count)], types=lambda p, ins, outs: (ins, outs),
   grad=lambda p, g, x, y: p.function.gradients(g), auto_variables=False,
   doc="A call of an autograd.Function: the tape holds it, nothing else runs it.")


def _rows_of(size, row):
    return size // row if row else 0


def _check_rows(whole, parts, numbers, row):
    """Rows of `row` elements make up both arrays, one row for each number."""
    if size(parts) != size(numbers) * row or row and size(whole) % row:
        raise ValueError(f"shapes {whole} and {parts} do not consist of rows of {row} elements for {size(numbers)} numbers")


def _gathered(p, data, rows):
    _check_rows(data, p.shape, rows, p.row)
    return p.shape


def _added(p, data, rows):
    _check_rows(p.shape, data, rows, p.row)
    return p.shape


op("_gather_rows", inputs="data rows", params={"shape": shape(), "row": integer(at_least=0)}, kernel="index_gather",
   shapes=forward(_gathered), types=lambda p, ins, outs: (ins, [ins[0]]), auto_variables=False,
   arguments=lambda p, ins, outs: [p.row, _rows_of(size(ins[0]), p.row)],
   grad=lambda p, g, x, y: [lambda: F._add_rows(g[0], x[1], shape=x[0].shape, row=p.row), None],
   public=lambda p, x, rows: F.Reshape(F.take(F.Reshape(x, shape=(-1, p.row)), rows), shape=p.shape),
   doc="Rows of consecutive elements by their numbers: what indexing with arrays is to autograd.")
op("_add_rows", inputs="data rows", params={"shape": shape(), "row": integer(at_least=0)}, kernel="index_add",
   shapes=forward(_added), types=lambda p, ins, outs: (ins, [ins[0]]), auto_variables=False,
   arguments=lambda p, ins, outs: [p.row, _rows_of(size(p.shape), p.row)],
   grad=lambda p, g, x, y: [lambda: F._gather_rows(g[0], x[1], shape=x[0].shape, row=p.row), None],
   doc="Zeros of a shape, with rows added at their numbers: the adjoint of _gather_rows.")
