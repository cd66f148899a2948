"""What passes share: values that stand for others, and formulas as steps."""
from ..graph import Graph, Value


class Replaced(dict):
    """{value: what stands for it now}; chains are followed."""

    def of(self, value):
        if value not in self:
            return value
        end = value
        while end in self:
            end = self[end]
        while self[value] is not end:          # shorten the chain for the next time
            self[value], value = end, self[value]
        return end

    def rewire(self, step):
        """Let a step read what stands for its inputs."""
        if self:
            for v in step.inputs:
                if v in self:
                    step.inputs = tuple(map(self.of, step.inputs))
                    return


def mutated(parts):
    """The values that some step writes in place: they are not the same before and after it, and need an array of their own."""
    return {v for steps in parts for s in steps if s.op.mutates for v in s.mutated()}


def writers(parts):
    """{value that is written in place: the steps that do so}."""
    found = {}
    for steps in parts:
        for s in steps:
            for v in s.mutated() if s.op.mutates else ():
                found.setdefault(v, []).append(s)
    return found


def traced(formula, inputs, name):
    """(steps, results) of a formula on values."""
    graph = Graph(expand=True)
    graph.name = name
    inside = [Value(graph, v.shape, v.dtype) for v in inputs]
    outside = dict(zip(inside, inputs))
    got = formula(*inside)
    for s in graph.steps:
        s.inputs = tuple(outside.get(v, v) for v in s.inputs)
    return graph.steps, [outside.get(v, v) for v in got]
