"""Properties that a program made, in Hypothesis: one question in JSON on each line of standard input, one answer on each line of output.

A question holds the plan and the condition of a property as `quality` writes them, the value of dwindle's best known, and how many failures to shrink.
The answer says what each shrink ended at, and whether Hypothesis itself knows a simpler failure. The plans are written as a user of Hypothesis would.
"""

import dataclasses
import itertools
import json
import math
import random
import string
import struct
import sys

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.errors import CannotInvert, StopTest
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.engine import ConjectureRunner, RunIsComplete
from hypothesis.internal.conjecture.shrinker import sort_key
from hypothesis_peer import ORIGIN, SETTINGS, drawn

# A start is given up that finds no failure in so many random cases or choices: seconds, if cases are long.
CASES_MAX = 20_000
CHOICES_MAX = 300_000
DEPTH_MAX = 32
I128_MIN, I128_MAX = -(2**127), 2**127 - 1
WHITE_SPACE = {*map(chr, [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000])}


# Values: Python's own types, None for the unit, dict for a map


@dataclasses.dataclass
class Tagged:
    """The alternative with this index, and its values."""

    tag: int
    parts: tuple


def to_json(value):
    match value:
        case None:
            return "Unit"
        case bool():
            return {"Bool": value}
        case int():
            return {"Int": value}
        case float():
            return {"Float": bits(value)}
        case str():
            return {"Text": value}
        case bytes():
            return {"Bytes": list(value)}
        case list():
            return {"List": list(map(to_json, value))}
        case tuple():
            return {"Tuple": list(map(to_json, value))}
        case dict():
            return {"List": [to_json(entry) for entry in entries(value)]}
        case Tagged(tag, parts):
            return {"Tagged": [tag, list(map(to_json, parts))]}
    raise TypeError(f"{value!r} is no value")


def from_json(value):
    match value:
        case "Unit":
            return None
        case {"Bool": value} | {"Int": value} | {"Text": value}:
            return value
        case {"Float": value}:
            return struct.unpack("<d", struct.pack("<Q", value))[0]
        case {"Bytes": value}:
            return bytes(value)
        case {"List": values}:
            return list(map(from_json, values))
        case {"Tuple": values}:
            return tuple(map(from_json, values))
        case {"Tagged": [tag, parts]}:
            return Tagged(tag, tuple(map(from_json, parts)))
    raise ValueError(f"{value!r} is no value")


def bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def entries(value):
    """Those of a map, in the order of a `BTreeMap`."""
    return sorted(value.items(), key=lambda entry: entry[0])


def equal(one, other):
    """Whether two values are equal in Rust: 1 is not true, and NaN is not itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Tagged):
        return one.tag == other.tag and equal(one.parts, other.parts)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


class View:
    """What conditions look at, as in `value.rs`."""

    def __init__(self, value):
        self.numbers, self.floats, self.texts, self.tags, self.lists = [], [], [], [], []
        self.depth = self.trues = 0
        self.add(value, 0)

    def add(self, value, depth):
        self.depth = max(self.depth, depth)
        if isinstance(value, dict):
            value = entries(value)
        match value:
            case bool():
                self.trues += value
            case int():
                self.numbers.append(value)
            case float():
                self.floats.append(value)
            case str():
                self.texts.append(value)
            case bytes():
                self.numbers.extend(value)
            case list():
                self.lists.append(value)
                self.add_all(value, depth + 1)
            case tuple():
                self.add_all(value, depth)
            case Tagged(tag, parts):
                self.tags.append((tag, depth))
                self.add_all(parts, depth + 1)

    def add_all(self, values, depth):
        for value in values:
            self.add(value, depth)


# Plans: a strategy, and the choices that draw a value from it


def tagged(tag, *strategies):
    return st.builds(Tagged, st.just(tag), st.tuples(*strategies))


def integers(kind):
    match kind:
        case {"Range": [least, most]}:
            return st.integers(least, most)
        case str():
            width = int(kind[1:])
            return st.integers(0, 2**width - 1) if kind[0] == "U" else st.integers(-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    raise ValueError(f"{kind!r} is no type of an integer")


def simple(shape):
    """The strategy of a shape that Hypothesis itself translates back into choices."""
    match shape:
        case "Bool":
            return st.booleans()
        case {"Int": kind}:
            return integers(kind)
        case {"Float": None}:
            return st.floats()
        case {"Float": [least, most]}:
            return st.floats(least, most)
        case {"Text": [None, most]}:
            return st.text(max_size=most)
        case {"Text": [alphabet, most]}:
            return st.text(alphabet, max_size=most)
        case {"Bytes": most}:
            return st.binary(max_size=most)
        case {"Option": inner}:
            return st.one_of(tagged(0), tagged(1, simple(inner)))
        case {"List": [element, least, most]}:
            return st.lists(simple(element), min_size=least, max_size=None if most == 2**64 - 1 else most)
        case {"Unique": element}:
            return st.lists(simple(element), unique=True)
        case {"Map": [key, value]}:
            return st.dictionaries(integers(key), simple(value))
        case {"OneOf": alternatives}:
            return st.one_of(*(tagged(tag, simple(inner)) for tag, inner in enumerate(alternatives)))
        case {"Tuple": []}:
            return st.none()
        case {"Tuple": [one]}:
            return simple(one)
        case {"Tuple": [one, two, three, *rest]} if rest:
            return st.tuples(simple(one), simple(two), simple({"Tuple": [three, *rest]}))
        case {"Tuple": parts}:
            return st.tuples(*map(simple, parts))
        case {"Recursive": leaf}:
            return st.recursive(tagged(0, simple(leaf)), lambda inner: st.one_of(tagged(1, inner, inner), tagged(2, st.lists(inner))))
    raise ValueError(f"{shape!r} is no shape")


@st.composite
def trees(draw, leaf, depth=0):
    tag = 0 if depth >= DEPTH_MAX else draw(st.integers(0, 3))
    if tag in (1, 2):
        return Tagged(tag, tuple(draw(trees(leaf, depth + 1)) for _ in range(tag)))
    return Tagged(tag, (draw(leaf),))


DERIVED = st.deferred(
    lambda: st.one_of(tagged(0, st.integers(-(2**15), 2**15 - 1)), tagged(1, DERIVED), tagged(2, DERIVED, DERIVED), tagged(3, st.lists(DERIVED)))
)


@st.composite
def while_coin(draw, element, chance, most):
    # 1/2, 3/4 or 9/10: a number that is not the simplest goes on.
    coin = st.integers(0, round(1 / (1 - chance)) - 1)
    values = []
    while len(values) < most and draw(coin) > 0:
        values.append(draw(element))
    return values


@st.composite
def counted(draw, element, most):
    return [draw(element) for _ in range(draw(st.integers(0, most)))]


@st.composite
def references(draw, constant, most):
    def operation(at):
        tag = draw(st.integers(0, 2)) if at > 0 else 0
        return Tagged(tag, tuple(draw(st.integers(1, at)) for _ in range(tag)) or (draw(constant),))

    return [operation(at) for at in range(draw(st.integers(1, most)))]


def each(values, choices_of):
    return [choice for value in values for choice in choices_of(value)]


def plan(made):
    """The strategy of a plan, and what turns one of its values into choices."""
    match made:
        case {"Once": {"Length": [element, most]}}:
            element = simple(element)
            strategy = st.integers(0, most).flatmap(lambda length: st.lists(element, min_size=length, max_size=length))
            strategy = strategy.map(lambda values: (len(values), values))
            return strategy, lambda value: [value[0], *each(value[1], element._invert)]
        case {"Once": {"Indexed": element}}:
            lists = st.lists(simple(element), min_size=1)
            strategy = lists.flatmap(lambda values: st.tuples(st.just(values), st.integers(0, len(values) - 1)))
            return strategy, lambda value: [*lists._invert(value[0]), value[1]]
        case {"Once": {"Bounded": most}}:
            strategy = st.integers(0, most).flatmap(lambda bound: st.tuples(st.just(bound), st.lists(st.integers(0, bound))))
            return strategy, lambda value: [value[0], *st.lists(st.integers(0, value[0]))._invert(value[1])]
        case {"Once": {"Function": leaf}}:
            leaf = simple(leaf)

            def choices_of_tree(tree, depth=0):
                tag = [] if depth >= DEPTH_MAX else [tree.tag]
                below = leaf._invert if tree.tag in (0, 3) else lambda part: choices_of_tree(part, depth + 1)
                return [*tag, *each(tree.parts, below)]

            return trees(leaf), choices_of_tree
        case {"Once": "Derived"}:

            def choices_of_derived(tree):
                parts = tree.parts[0] if tree.tag == 3 else tree.parts
                if tree.tag == 0:
                    return [0, *parts]
                if tree.tag == 3:
                    return [3, *each(parts, lambda part: [True, *choices_of_derived(part)]), False]
                return [tree.tag, *each(parts, choices_of_derived)]

            return DERIVED, choices_of_derived
        case {"Once": {"Map": _} as shape}:
            strategy = simple(shape)
            return strategy, lambda value: strategy._invert(dict(value))
        case {"Once": shape}:
            strategy = simple(shape)
            return strategy, strategy._invert
        case {"While": [element, chance, most]}:
            element = simple(element)

            def choices_of_loop(values):
                return [*each(values, lambda value: [1, *element._invert(value)]), *([0] if len(values) < most else [])]

            return while_coin(element, chance, most), choices_of_loop
        case {"Count": [element, most]}:
            element = simple(element)
            return counted(element, most), lambda values: [len(values), *each(values, element._invert)]
        case {"References": [constant, most]}:
            constant = simple(constant)

            def choices_of_operations(values):
                first, *rest = values
                parts = lambda value: value.parts if value.tag else constant._invert(value.parts[0])
                return [len(values), *parts(first), *each(rest, lambda value: [value.tag, *parts(value)])]

            return references(constant, most), choices_of_operations
    raise ValueError(f"{made!r} is no plan")


# Conditions, as in `condition.rs` and `statistic.rs`


def clamped(number):
    """A number of 128 bits, since Rust's saturate."""
    return max(I128_MIN, min(I128_MAX, number))


def neighbours(items):
    return zip(items, items[1:])


def pairs(items, apart):
    return ((one, other) for at, one in enumerate(items) for other in items[at + apart :])


def holds_in_order(wanted, items):
    """Whether items that meet each of these stand in this order."""
    items = iter(items)
    return all(any(holds(item) for item in items) for holds in wanted)


def ascent(numbers):
    longest, run = min(len(numbers), 1), 1
    for one, other in neighbours(numbers):
        run = run + 1 if one < other else 1
        longest = max(longest, run)
    return longest


def float_sum(floats):
    total = 0.0
    # `sum` of newer Pythons rounds only once.
    for value in floats:
        total += value
    return clamped(math.floor(total)) if floats and math.isfinite(total) else None


def statistic(made):
    match made:
        case "Sum":
            return lambda view: list(itertools.accumulate(view.numbers, lambda total, number: clamped(total + number), initial=0))[-1]
        case "Max":
            return lambda view: max(view.numbers, default=None)
        case "Spread":
            return lambda view: clamped(max(view.numbers) - min(view.numbers)) if view.numbers else None
        case {"CountAtLeast": least}:
            return lambda view: sum(number >= least for number in view.numbers)
        case "Distinct":
            return lambda view: len(set(view.numbers))
        case "Descents":
            return lambda view: sum(one > other for one, other in neighbours(view.numbers))
        case "Ascent":
            return lambda view: ascent(view.numbers)
        case "Product":
            return lambda view: clamped(view.numbers[0] * view.numbers[1]) if len(view.numbers) > 1 else None
        case {"Step": at}:
            return lambda view: clamped(view.numbers[at] - view.numbers[at - 1]) if len(view.numbers) > at else None
        case "Xor":
            return lambda view: list(itertools.accumulate(view.numbers, lambda all, number: all ^ number, initial=0))[-1]
        case "PlaceOfMax":
            return lambda view: view.numbers.index(max(view.numbers)) if view.numbers else None
        case "Elements":
            return lambda view: sum(map(len, view.lists))
        case "Longest":
            return lambda view: max(map(len, view.lists), default=None)
        case "Filled":
            return lambda view: sum(len(values) > 0 for values in view.lists)
        case "Depth":
            return lambda view: view.depth
        case "Tags":
            return lambda view: len(view.tags)
        case {"TagsOf": wanted}:
            return lambda view: sum(tag == wanted for tag, _ in view.tags)
        case "Characters":
            return lambda view: sum(map(len, view.texts))
        case "DistinctCharacters":
            return lambda view: len({character for text in view.texts for character in text})
        case "Trues":
            return lambda view: view.trues
        case "FloatSum":
            return lambda view: float_sum(view.floats)
    raise ValueError(f"{made!r} is no statistic")


def number(made):
    match made:
        case {"AtLeast": least}:
            return lambda number: number >= least
        case "Negative":
            return lambda number: number < 0
        case "Odd":
            return lambda number: number & 1 == 1
        case {"Leaves": [modulus, rest]}:
            return lambda number: number % modulus == rest
        case {"Is": wanted}:
            return lambda number: number == wanted
    raise ValueError(f"{made!r} is nothing a number is")


def character(made):
    match made:
        case "Digit":
            return lambda character: character in string.digits
        case "Upper":
            return str.isupper
        case "Lower":
            return str.islower
        case "Space":
            return lambda character: character in WHITE_SPACE
        case "Punctuation":
            return lambda character: character in string.punctuation
        case "NotAscii":
            return lambda character: not character.isascii()
        case {"Is": wanted}:
            return lambda character: character == wanted
    raise ValueError(f"{made!r} is no class of characters")


def is_inside(tags, outer, inner):
    for at, (tag, depth) in enumerate(tags):
        below = itertools.takewhile(lambda it: it[1] > depth, tags[at + 1 :])
        if tag == outer and any(tag == inner for tag, _ in below):
            return True
    return False


def begins(one, other, by):
    short, long = (one, other) if len(one) < len(other) else (other, one)
    return short != "" and long.startswith(short) and len(long) >= len(short) + by


def condition(made):
    match made:
        case {"AtLeast": [of, least]}:
            of = statistic(of)
            return lambda view: (value := of(view)) is not None and value >= least
        case {"Remainder": [of, least, modulus, rest]}:
            of = statistic(of)
            return lambda view: (value := of(view)) is not None and value >= least and value % modulus == rest
        case {"Exactly": [of, wanted]}:
            of = statistic(of)
            return lambda view: of(view) == wanted
        case {"Bits": mask}:
            return lambda view: any(number & mask == mask for number in view.numbers)
        case {"EqualApart": apart}:
            return lambda view: any(a == b and a != 0 for a, b in pairs(view.numbers, apart))
        case {"Offset": [one, other, by]}:
            return lambda view: max(one, other) < len(view.numbers) and view.numbers[one] - view.numbers[other] == by
        case {"Descends": by}:
            return lambda view: any(clamped(a - b) > by for a, b in neighbours(view.numbers))
        case {"Numbers": wanted}:
            wanted = list(map(number, wanted))
            return lambda view: holds_in_order(wanted, view.numbers)
        case {"Tags": wanted}:
            wanted = [lambda tag, wanted=tag: tag == wanted for tag in wanted]
            return lambda view: holds_in_order(wanted, (tag for tag, _ in view.tags))
        case {"Inside": [outer, inner]}:
            return lambda view: is_inside(view.tags, outer, inner)
        case {"CommonDivisor": least}:
            return lambda view: any(a != 0 and b != 0 and math.gcd(a, b) > abs(least) for a, b in itertools.islice(pairs(view.numbers, 1), 2000))
        case {"Refers": least}:
            return lambda view: any(0 <= to < len(view.numbers) and to != at and view.numbers[to] >= least for at, to in enumerate(view.numbers))
        case {"Characters": wanted}:
            wanted = list(map(character, wanted))
            return lambda view: any(holds_in_order(wanted, text) for text in view.texts)
        case {"SameCharacter": apart}:
            return lambda view: any(a == b for text in view.texts for a, b in pairs(text, apart))
        case "CaseIsLost":
            return lambda view: any(text.lower().upper() != text.upper() for text in view.texts)
        case {"Begins": by}:
            return lambda view: any(begins(one, other, by) for one, other in pairs(view.texts, 1))
        case "Absorbed":
            return lambda view: any(bits(a + b) == bits(a) and abs(b) > 0 for a, b in pairs(view.floats, 1))
        case {"Fraction": least}:
            least = from_json({"Float": least})
            return lambda view: any(value >= least and (math.isinf(value) or not value.is_integer()) for value in view.floats)
        case "Close":
            return lambda view: any(0 < abs(a - b) < 1 for a, b in pairs(view.floats, 1))
        case "NotFinite":
            return lambda view: not all(map(math.isfinite, view.floats))
        case {"EqualLists": least}:
            return lambda view: any(len(a) >= least and equal(a, b) for a, b in pairs(view.lists, 1))
        case {"ShorterBehind": least}:
            return lambda view: any(len(a) > len(b) >= least for a, b in pairs(view.lists, 1))
        case {"Both": [one, other]}:
            one, other = condition(one), condition(other)
            return lambda view: one(view) and other(view)
    raise ValueError(f"{made!r} is no condition")


# Shrinks


class Property:
    """Counts calls from the first failure on, as `probe.rs` does."""

    def __init__(self, strategy, fails):
        self.strategy, self.fails = strategy, fails
        self.has_failed = False
        self.calls = 0
        self.choices = 0

    def __call__(self, data):
        self.calls += self.has_failed
        try:
            value = drawn(data, self.strategy)
        finally:
            self.choices += len(data.nodes)
        if self.fails(View(value)):
            self.has_failed = True
            data.mark_interesting(ORIGIN)
        if not self.has_failed and self.choices > CHOICES_MAX:
            raise RunIsComplete


def shrink(strategy, fails, seed):
    """The key of the result in Hypothesis' order, its value and the calls; None if no failure was found."""
    one = Property(strategy, fails)
    runner = ConjectureRunner(one, settings=settings(SETTINGS, max_examples=CASES_MAX), random=random.Random(seed))
    runner.run()
    if not runner.interesting_test_cases:
        return None
    (best,) = runner.interesting_test_cases.values()
    return sort_key(best.nodes), drawn(ConjectureData.for_choices(best.choices), strategy), one.calls


def key_of(value, strategy, choices_of):
    """The key of a value in Hypothesis' order, if its strategy draws this value."""
    try:
        data = ConjectureData.for_choices(tuple(choices_of(value)))
        back = drawn(data, strategy)
    except (CannotInvert, StopTest):
        return None
    return sort_key(data.nodes) if to_json(back) == to_json(value) else None


def answer(question):
    strategy, choices_of = plan(question["plan"])
    fails = condition(question["condition"])
    best = from_json(question["best"])
    # Where one start finds no failure, the others hardly do, and each takes as long.
    shrunk = list(itertools.takewhile(bool, (shrink(strategy, fails, seed) for seed in range(question["starts"]))))
    key = key_of(best, strategy, choices_of)
    least = min([end[0] for end in shrunk] + ([key] if key else []), default=None)
    ends = [{"value": to_json(value), "calls": calls, "is_least": key == least} for key, value, calls in shrunk]
    return {"best_fails": fails(View(best)), "best_is_drawn": key is not None, "ends": ends}


# Hypothesis prints its warnings to standard output, where only answers may stand.
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), file=answers, flush=True)
