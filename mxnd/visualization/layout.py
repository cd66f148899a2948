"""Where the boxes of a graph go: layers by longest path, order by barycentres, positions by least squares."""

GAP = 26                                 # between boxes beside each other
BEND = 14                                # width kept free for an edge that passes a layer
SWEEPS = 12
BENDS = 40                               # per box at most, on average: longer edges go straight, behind the boxes


class Box:
    """A box of the picture, or (edge is not None) the place where an edge crosses a layer."""

    __slots__ = ("down", "edge", "h", "layer", "name", "up", "w", "x", "y")

    def __init__(self, name, w, h, edge=None):
        self.name, self.w, self.h, self.edge = name, w, h, edge
        self.up, self.down = [], []
        self.layer = 0
        self.x = self.y = 0.0            # centre


def arrange(sizes, edges, spacing=46):
    """(boxes by name, lines, width, height): sizes {name: (w, h)}; edges: (upper, lower) pairs without cycles, or
    (upper, lower, what): what flows along them.

    lines: for each edge the points that it goes through, from the upper box to the lower one.  Edges that bring the same from
    one box go together as far as they can: the line of the longest has all points, the others end where they join it."""
    boxes = {name: Box(name, w, h) for name, (w, h) in sizes.items()}
    below = {name: [] for name in boxes}
    above = {name: [] for name in boxes}
    for upper, lower, *_ in edges:
        below[upper].append(lower)
        above[lower].append(upper)
    _layers(boxes, below, above)
    rows = [[] for _ in range(1 + max((b.layer for b in boxes.values()), default=0))]
    for b in boxes.values():
        rows[b.layer].append(b)
    chains = _chains(boxes, edges, rows)
    _order(rows)
    _place(rows)
    y = 0.0
    for row in reversed(rows):           # layer 0 lies at the bottom
        h = max(b.h for b in row)
        for b in row:
            b.y = y + h / 2
            if b.edge is not None:
                b.h = h                  # straight as far as the boxes beside it reach
        y += h + spacing
    left = min(b.x - b.w / 2 for row in rows for b in row)
    for row in rows:
        for b in row:
            b.x -= left
    lines = []
    for chain in chains:
        first, last = chain[0], chain[-1]
        middle = [p for b in chain[1:-1] for p in ((b.x, b.y - b.h / 2), (b.x, b.y + b.h / 2))]
        lines.append([(first.x, first.y + first.h / 2), *middle, (last.x, last.y - last.h / 2)])
    return boxes, lines, max(b.x + b.w / 2 for row in rows for b in row), y - spacing


def _layers(boxes, below, above):
    """Every box above all that it reads; those that read nothing as high as they can be."""
    waiting = {name: len(below[name]) for name in boxes}
    ready = [name for name, n in waiting.items() if not n]
    for name in ready:                   # grows while it is walked
        for other in above[name]:
            boxes[other].layer = max(boxes[other].layer, boxes[name].layer + 1)
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    for name in boxes:
        if not below[name] and above[name]:
            boxes[name].layer = min(boxes[o].layer for o in above[name]) - 1


def _chains(boxes, edges, rows):
    """For every edge the boxes that it goes through, from layer to layer."""
    together = {}
    for k, (_, lower, *what) in enumerate(edges):
        together.setdefault((lower, *what), []).append(k)
    spans = {}                           # layers that the longest edge of each bundle crosses
    for bundle in together.values():
        bundle.sort(key=lambda k: -boxes[edges[k][0]].layer)
        spans[bundle[0]] = boxes[edges[bundle[0]][0]].layer - boxes[edges[bundle[0]][1]].layer - 1
    left, bent = BENDS * len(boxes), set()
    for k in sorted(spans, key=spans.get):
        left -= spans[k]
        if left < 0:
            break
        bent.add(k)
    chains = [None] * len(edges)
    for bundle in together.values():
        trunk = {}                       # the bend in a layer
        for k in bundle:
            chains[k] = _chain(boxes[edges[k][0]], boxes[edges[k][1]], k, rows, trunk, bundle[0] in bent)
    return chains


def _chain(upper, lower, edge, rows, trunk, bent):
    """The boxes that one edge goes through; trunk: the bends of the edges that it may join, by layer."""
    chain = [upper]
    for layer in range(upper.layer - 1, lower.layer, -1) if bent else ():
        there = layer in trunk
        if not there:
            bend = trunk[layer] = Box(None, BEND, 0, edge)
            bend.layer = layer
            rows[layer].append(bend)
        chain.append(trunk[layer])
        if there:
            break
    else:
        chain.append(lower)
    for a, b in zip(chain, chain[1:]):
        a.down.append(b)
        b.up.append(a)
    return chain


def _order(rows):
    """Fewer crossings: sort each row by the mean place of the neighbours in the row before."""
    place = {}
    for row in rows:
        place.update((id(b), k) for k, b in enumerate(row))
    for sweep in range(SWEEPS):
        down = sweep % 2
        for row in reversed(rows) if down else rows:
            def mean(b, down=down):
                near = b.up if down else b.down
                return sum(place[id(o)] for o in near) / len(near) if near else place[id(b)]
            row.sort(key=mean)
            place.update((id(b), k) for k, b in enumerate(row))


def _place(rows):
    """Each box as near as it can be to the middle of its neighbours, none upon another."""
    for row in rows:
        x = 0.0
        for b in row:
            b.x = x + b.w / 2
            x += b.w + GAP
    for sweep in range(SWEEPS):
        down = sweep % 2
        for row in reversed(rows) if down else rows:
            wanted = []
            for b in row:
                near = b.up if down else b.down
                wanted.append(sum(o.x for o in near) / len(near) if near else b.x)
            for b, x in zip(row, spread(wanted, [b.w for b in row])):
                b.x = x


def spread(wanted, widths):
    """Centres with the least squared distance from the wanted ones that keep order and gaps."""
    offsets, at = [], 0.0
    for k, w in enumerate(widths):
        at += (widths[k - 1] + w) / 2 + GAP if k else 0.0
        offsets.append(at)
    blocks = []                          # [sum, count] of neighbours that touch: they move together
    for x, offset in zip(wanted, offsets):
        blocks.append([x - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]:
            total, n = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += n
    centres = [total / n for total, n in blocks for _ in range(n)]
    return [c + offset for c, offset in zip(centres, offsets)]
