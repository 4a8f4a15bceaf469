"""The properties in Hypothesis: `hypothesis_peer.py PROPERTY SEEDS`, or `hypothesis_peer.py PROPERTY -` with starting values on standard input.

Each seed, or each line of input, gives one line of JSON, as the other peers' programs do; `null` where nothing failed.

The engine below `@given` is run, so that a shrink can also start from a value that is given; settings are Hypothesis' defaults but for the number of
examples and for what is not shrinking: no targeting, no explanations, and no search for further failures after the first one.
"""

import json
import random
import string
import sys
import time

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import StopTest
from hypothesis.control import BuildContext
from hypothesis.internal.conjecture.data import ConjectureData, Status
from hypothesis.internal.conjecture.engine import ConjectureRunner, RunIsComplete
from hypothesis.internal.escalation import InterestingOrigin

sys.setrecursionlimit(100_000)

ORIGIN = InterestingOrigin(AssertionError, "property", 1, (), ())
INTS = st.integers(-(2**31), 2**31 - 1)
SHORTS = st.integers(-(2**15), 2**15 - 1)
POSITIVE = st.integers(1, 2**31 - 1)
LONGS = st.integers(-(2**63), 2**63 - 1)
ALPHABET = string.ascii_letters + string.digits
OPERATIONS = ["Not", "And", "Or", "Add", "Sub", "Mul", "Div"]


class Node:
    """A constructor with what it was given; prints as it was written."""

    def __init__(self, name, *parts):
        self.name = name
        self.parts = parts

    def __repr__(self):
        return f"{self.name}({', '.join(map(repr, self.parts))})"

    def __eq__(self, other):
        # Python's False equals 0.
        return repr(self) == repr(other)


def made(name, *strategies):
    return st.tuples(*strategies).map(lambda parts: Node(name, *parts))


# Generators


@st.composite
def indexed(draw):
    values = draw(st.lists(INTS, min_size=1))
    return (values, draw(st.integers(0, len(values) - 1)))


@st.composite
def counted(draw):
    n = draw(st.integers(1, 100))
    return draw(st.lists(st.integers(0, 1000), min_size=n, max_size=n))


EXPRESSIONS = st.deferred(lambda: st.one_of(INTS, made("Add", EXPRESSIONS, EXPRESSIONS), made("Div", EXPRESSIONS, EXPRESSIONS)))


@st.composite
def heaps(draw, least=0):
    value = draw(st.integers(least, 2**31 - 1))
    sides = st.one_of(st.none(), heaps(value))
    return (value, draw(sides), draw(sides))


@st.composite
def expressions(draw, depth=None):
    if depth is None:
        depth = draw(st.integers(0, 100))
    if depth <= 0:
        return draw(st.one_of(st.booleans(), LONGS))
    child = expressions(draw(st.integers(0, depth - 1)))
    operation = draw(st.sampled_from(OPERATIONS))
    return draw(made(operation, child) if operation == "Not" else made(operation, child, child))


NAMES = st.text(alphabet=ALPHABET, min_size=1)
STATEMENTS = st.one_of(made("Return", expressions()), made("Assign", NAMES, expressions()), made("Alloc", NAMES, expressions()))
PROGRAMS = made(
    "Lang",
    st.lists(made("Mod", st.lists(NAMES), st.lists(NAMES))),
    st.lists(made("Func", NAMES, st.lists(expressions()), st.lists(STATEMENTS))),
)


# Properties: True if the value makes it fail, None if it is no value of the property.


def coupling(values):
    if any(index >= len(values) for index in values):
        return None
    return any(values[i] != i and values[values[i]] == i for i in range(len(values)))


def wrapped(values):
    return (sum(values) + 2**15) % 2**16 - 2**15


def bound5(lists):
    if any(wrapped(values) >= 256 for values in lists):
        return None
    return wrapped([wrapped(values) for values in lists]) >= 5 * 256


def divides_by_literal_zero(expression):
    if isinstance(expression, int):
        return False
    left, right = expression.parts
    if expression.name == "Div" and isinstance(right, int) and right == 0:
        return True
    return divides_by_literal_zero(left) or divides_by_literal_zero(right)


def evaluate(expression):
    if isinstance(expression, int):
        return expression
    left, right = map(evaluate, expression.parts)
    if expression.name == "Add":
        result = left + right
    else:
        result = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return (result + 2**31) % 2**32 - 2**31


def calculator(expression):
    if divides_by_literal_zero(expression):
        return None
    try:
        evaluate(expression)
    except ZeroDivisionError:
        return True
    return False


def to_list(heap):
    result, stack = [], [heap]
    while stack:
        heap = stack.pop()
        if heap is not None:
            result.append(heap[0])
            stack.extend(heap[1:])
    return result


def merge(one, other):
    if one is None or other is None:
        return one or other
    if one[0] <= other[0]:
        return (one[0], merge(one[2], other), one[1])
    return (other[0], merge(other[2], one), other[1])


def binheap(heap):
    return [heap[0], *to_list(merge(heap[1], heap[2]))] != sorted(to_list(heap))


def read_back(expression):
    if not isinstance(expression, Node):
        return expression
    parts = [read_back(part) for part in expression.parts]
    if expression.name in ("And", "Or"):
        return Node("And", *reversed(parts))
    return Node(expression.name, *parts)


def parser(program):
    in_functions = [e for _, arguments, statements in (f.parts for f in program.parts[1]) for e in [*arguments, *(s.parts[-1] for s in statements)]]
    return any(repr(read_back(e)) != repr(e) for e in in_functions)


def apart(low, high):
    return lambda pair: pair[0] >= 10 and low <= abs(pair[0] - pair[1]) <= high


def five(of):
    return st.tuples(*[of] * 5).map(list)


PAIRS = st.tuples(POSITIVE, POSITIVE)
PROPERTIES = {
    "reverse": (st.lists(INTS), lambda values: values != values[::-1]),
    "distinct": (st.lists(INTS), lambda values: len(set(values)) >= 3),
    "deletion": (indexed(), lambda case: case[0].count(case[0][case[1]]) > 1),
    "coupling": (st.lists(st.integers(0, 10)), coupling),
    "lengthlist": (counted(), lambda values: max(values) >= 900),
    "nestedlists": (st.lists(st.lists(INTS)), lambda lists: sum(map(len, lists)) > 10),
    "large_union_list": (st.lists(st.lists(INTS)), lambda lists: len({value for values in lists for value in values}) > 4),
    "difference_zero": (PAIRS, apart(0, 0)),
    "difference_small": (PAIRS, apart(1, 4)),
    "difference_one": (PAIRS, apart(1, 1)),
    "bound5": (five(st.lists(SHORTS, max_size=1)), bound5),
    "bound5_unbounded": (five(st.lists(SHORTS)), bound5),
    "calculator": (EXPRESSIONS, calculator),
    "binheap": (heaps(), binheap),
    "parser": (PROGRAMS, parser),
}


# Sizes, as the other programs count them


def nodes(tree):
    return 1 + sum(map(nodes, tree.parts)) if isinstance(tree, Node) else 1


def size(name, value):
    if name == "deletion":
        return len(value[0])
    if name in ("nestedlists", "large_union_list"):
        return len(value) + sum(map(len, value))
    if name.startswith("bound5"):
        return sum(map(len, value))
    if name == "calculator":
        return nodes(value)
    if name == "binheap":
        return 1 if value is None else 1 + size(name, value[1]) + size(name, value[2])
    if name == "parser":
        modules, functions = value.parts
        names = sum(len(part) for module in modules for part in module.parts)
        return names + sum(sum(map(nodes, f.parts[1])) + sum(1 + nodes(s.parts[-1]) for s in f.parts[2]) for f in functions)
    return len(value)


# Values as choices: what each strategy draws


def many(values, of):
    """A list: whether to go on, then the element. At the greatest length a choice is recorded all the same."""
    choices = [choice for value in values for choice in [True, *of(value)]]
    return [*choices, False]


def one(value):
    return [value]


def tree(value):
    if isinstance(value, int):
        return [0, value]
    return [1 if value.name == "Add" else 2, *tree(value.parts[0]), *tree(value.parts[1])]


def heap_choices(heap):
    sides = [[0] if side is None else [1, *heap_choices(side)] for side in heap[1:]]
    return [heap[0], *sides[0], *sides[1]]


ENCODERS = {
    "deletion": lambda case: [*many(case[0], one), case[1]],
    "lengthlist": lambda values: [len(values), *values],
    "nestedlists": lambda lists: many(lists, lambda values: many(values, one)),
    "large_union_list": lambda lists: many(lists, lambda values: many(values, one)),
    "difference_zero": list,
    "difference_small": list,
    "difference_one": list,
    "bound5": lambda lists: [choice for values in lists for choice in many(values, one)],
    "bound5_unbounded": lambda lists: [choice for values in lists for choice in many(values, one)],
    "calculator": tree,
    "binheap": heap_choices,
    "parser": None,
}


def drawn(data, strategy):
    with BuildContext(data, wrapped_test=drawn):
        return data.draw(strategy)


# Counting, as `probe.rs` does it


class Probe:
    def __init__(self, name):
        self.name = name
        self.strategy, self.fails = PROPERTIES[name]
        self.calls = 0
        self.first = None
        self.last = None
        self.inside = 0

    def __call__(self, data):
        if self.first is not None:
            self.calls += 1
        value = drawn(data, self.strategy)
        began = time.perf_counter_ns()
        fails = self.fails(value)
        ended = time.perf_counter_ns()
        if fails:
            self.last = value
        if self.first is not None:
            self.inside += ended - began
        elif fails:
            self.first = (ended, size(self.name, value), len(data.choices))
        if fails is None:
            data.mark_invalid()
        if fails:
            data.mark_interesting(ORIGIN)

    def measure(self, runner):
        if self.first is None or not runner.interesting_test_cases:
            return None
        began, start_size, start_choices = self.first
        outside = time.perf_counter_ns() - began - self.inside
        (best,) = runner.interesting_test_cases.values()
        value = drawn(ConjectureData.for_choices(best.choices), self.strategy)
        return {
            "start_size": start_size,
            "start_choices": start_choices,
            "calls": self.calls,
            "calls_to_exhaust": 0,
            "value": repr(value),
            "size": size(self.name, value),
            "outside_nanos": outside / max(self.calls, 1),
        }


SETTINGS = settings(
    max_examples=100_000,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def from_seed(name, seed):
    probe = Probe(name)
    runner = ConjectureRunner(probe, settings=SETTINGS, random=random.Random(seed))
    runner.run()
    return probe.measure(runner)


def from_value(name, text):
    encode = ENCODERS.get(name, lambda values: many(values, one))
    if encode is None:
        return None
    constructors = {operation: (lambda *parts, operation=operation: Node(operation, *parts)) for operation in OPERATIONS}
    value = eval(text, {"__builtins__": {}}, constructors)
    choices = encode(value)
    try:
        back = drawn(ConjectureData.for_choices(choices), PROPERTIES[name][0])
    except StopTest:
        # Nested deeper than it draws anything.
        return None
    assert repr(back) == repr(value), f"{text} came back as {back!r}"
    probe = Probe(name)
    runner = ConjectureRunner(probe, settings=SETTINGS, random=random.Random(0))
    data = runner.cached_test_function(choices)
    assert data.status is Status.INTERESTING, f"{text} does not fail"
    try:
        runner.shrink_interesting_test_cases()
    except RunIsComplete:
        # Its own limits of improvements and time.
        pass
    return probe.measure(runner)


def main():
    name, seeds = sys.argv[1:]
    if seeds == "-":
        measures = (from_value(name, line.strip()) for line in sys.stdin)
    else:
        measures = (from_seed(name, seed) for seed in range(int(seeds)))
    # Hypothesis prints its warnings to standard output, where only measures may stand.
    answers, sys.stdout = sys.stdout, sys.stderr
    for measure in measures:
        print(json.dumps(measure), file=answers, flush=True)


if __name__ == "__main__":
    main()
