"""What counts of a text when it is compared: its words, names, numbers, and what it does.

The work for a text has a limit, however long it is. Patterns and tables are made when the first text is read:
most lists never change their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice

from todowright.plan import acts
from todowright.plan.marks import bare

LONGEST, MOST_WORDS, MOST_NAMES = 400, 64, 12
"""How much of a text is compared: characters; words, and names and numbers in those. Real texts have up to 245 characters."""
_FILLERS = (
    "a an the this that these those it its to of in on at by for from with without into onto over under as and or nor but "
    "so then than is are be was were been being has have had do does did not no all any each every some more most very "
    "just also only via per up out off if when where which who what how why their them they our we us you your my his her i "
    "le la les un une des du de d l et ou en au aux pour par avec sans sur dans à est ce cette ces "
    "der die das den dem ein eine einen einem einer und oder für mit ohne von vom zu zum zur im am auf aus bei ist "
    "el los las uno una unos unas y o con sin para por del al lo se su "
    "и в на с по для из к о от не "
    "ts js go py md css html json tsx jsx rs java sh yml yaml txt"
)
"""Words that say nothing about the work, and the endings of file names."""
_UNSPACED = "\u2e80"
"""From here on scripts write words without spaces between them."""
_KATAKANA = "\u30a1\u30fc"


class _Rules:
    """The patterns and tables by which texts are read."""

    def __init__(self) -> None:
        self.fillers = frozenset(_FILLERS.split())
        self.label = re.compile(
            r"(?P<name>(?:phase|step|part|stage|commit|阶段)\s*\d{1,2})\b\s*[:：.)-]*\s*",
            re.IGNORECASE,
        )
        self.title_end = re.compile(r"\s[-–—]\s|[:：(（]")
        self.camel = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
        self.word = re.compile(r"[^\W\d_]+|\d+")
        self.unspaced_run = re.compile(
            "[\u30a1-\u30fa\u30fc]+|[\u3400-\u9fff\uf900-\ufaff]+|[\uac00-\ud7af]+"
        )
        self.unspaced_filler = re.compile("[的了和与及并在对为将把被是等第一个]")
        self.token = re.compile(r"--?[a-z][\w-]*|[#/]?\w[\w./#:+-]*")
        self.numbered = re.compile(r"([A-Za-z]{1,8})-?#?(\d+(?:\.\d+)*)")
        self.number = re.compile(r"\d[\d.]*\w?")
        self.numbered_by = re.compile(r"(?:[^\W\d]+-?|#)\Z")
        self.version = re.compile(r"[vV]?[\d.:]+\w*")
        self.in_code = re.compile(r"[a-z]{2,}[A-Z]|\w[_.]\w|^/\w|^--")
        self.verbs = acts.Verbs()
        self.general = self.verbs.general_unspaced | set(map(_stem, self.verbs.general))


_rules = cache(_Rules)


class Text:
    """What counts of a text when it is compared."""

    __slots__ = ("acts", "marks", "names", "numbers", "opening", "telling", "title", "words")

    def __init__(self, text: str) -> None:
        rules = _rules()
        text = bare(text)[0]
        label = rules.label.match(text)
        text = text[label.end() :] if label else text
        small = rules.camel.sub(" ", text).lower()
        spoken = [word for word in rules.word.findall(small) if word < _UNSPACED]
        content = _content(spoken)
        stems = [*map(_stem, content), *_unspaced_words(small)]
        words = tuple(dict.fromkeys(stems or rules.word.findall(small)))[:MOST_WORDS]
        self.words = frozenset(words)
        self.telling = _telling(words)
        """Those of the words that not every other step has."""
        self.opening = words[:2]
        """The first two words."""
        self.title = _title(text)
        """The words before a colon, a dash or a bracket."""
        verb = spoken.index(content[0]) if content else len(spoken)
        self.acts = rules.verbs.acts_of(small, spoken[verb:])
        """What it does."""
        tokens = [token.rstrip(".:/+-") for token in rules.token.findall(_without_shares(text))]
        names = [token.lower() for token in tokens if _is_name(token)]
        self.names = frozenset(names[:MOST_NAMES])
        """Names in code: files, paths, identifiers."""
        self.numbers: dict[str, set[str]] = {}
        """Numbers, by what they number: `#`, `module`, `t`."""
        for key, number in islice(_numbers(tokens), MOST_NAMES):
            self.numbers.setdefault(key, set()).add(number)
        marks = [f"{key} {n}" for key, found in self.numbers.items() for n in found]
        self.marks = self.names.union(marks, [label["name"].lower()] if label else [])
        """Names, numbers and a label such as `phase 2`: those that both texts have tell that they mean the same."""


_read = lru_cache(maxsize=300)(Text)


def read(text: str) -> Text:
    """A text as it is compared."""
    return _read(text[:LONGEST])


def is_general(word: str) -> bool:
    """Whether many steps have this word."""
    return word in _rules().general


def _content(words: Sequence[str]) -> list[str]:
    fillers = _rules().fillers
    return [word for word in words if word not in fillers and not word.isdecimal()]


def _unspaced_words(text: str) -> list[str]:
    """Verbs that are known, words in katakana, and pairs of neighbouring characters of the rest."""
    if text.isascii():
        return []
    rules = _rules()
    found = [verb for verb in rules.verbs.general_unspaced if verb in text]
    for verb in found:
        text = text.replace(verb, " ")
    for run in rules.unspaced_run.findall(rules.unspaced_filler.sub(" ", text)):
        if len(run) < 2 or _KATAKANA[0] <= run[0] <= _KATAKANA[1]:
            found.append(run)
        else:
            found += [run[at : at + 2] for at in range(len(run) - 1)]
    return found


def _telling(words: Sequence[str]) -> frozenset[str]:
    """The words that tell steps apart: not the verb in front, nor what many steps have."""
    found = [word for word in words if not is_general(word)]
    return frozenset(found[1:] if len(found) > 1 and found[0] == words[0] else found)


def _title(text: str) -> frozenset[str]:
    head = _rules().title_end.split(text, maxsplit=1)
    if len(head) == 1:
        return frozenset()
    words = _rules().word.findall(_rules().camel.sub(" ", head[0]).lower())
    return frozenset(_stem(word) for word in words if word not in _rules().fillers)


def _is_name(token: str) -> bool:
    """Whether this is a name in code: a file, a path, an option, `two_words` or `twoWords`."""
    rules = _rules()
    if rules.numbered.fullmatch(token) or rules.version.fullmatch(token):
        return False
    return rules.in_code.search(token) is not None


def _numbers(tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Numbers, each behind what it numbers: `#`, the letters before it, or else the word before it."""
    rules, previous = _rules(), ""
    for at, token in enumerate(tokens):
        if _is_count(tokens, at, previous):  # how many there are still to do is no name
            continue
        if numbered := rules.numbered.fullmatch(token):
            yield numbered[1].lower(), numbered[2]
        elif not _is_name(token):
            for found in rules.number.finditer(token):
                by = rules.numbered_by.search(token[max(0, found.start() - 8) : found.start()])
                yield by[0].lower() if by else previous, found[0].rstrip(".")
        if not token[:1].isdecimal():
            previous = _stem(token.lower())


def _without_shares(text: str) -> str:
    """A text without `50%`: how far a step is does not tell it from others."""
    return re.sub(r"\d+(?:[.,]\d+)? ?%", " ", text) if "%" in text else text


def _is_count(tokens: Sequence[str], at: int, previous: str) -> bool:
    """Whether a token says how many, as in `12 failing tests`; not a label such as `phase 2`."""
    if not tokens[at].isdecimal() or previous in _labels():
        return False
    return any(
        len(each) > 3 and each.isalpha() and each.endswith("s") for each in tokens[at + 1 : at + 3]
    )


@cache
def _labels() -> frozenset[str]:
    """Words whose number is a name."""
    names = "phase step part task version issue chapter sprint milestone week day section stage round batch level"
    return frozenset(map(_stem, f"{names} page unit module bug ticket case item".split()))


def _stem(word: str) -> str:
    """A word without its ending, so that `test`, `tests` and `testing` are one; only the beginning of a long one."""
    if word >= _UNSPACED:
        return word
    for end in ("ing", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3 and not word.endswith("ss"):
            word = word[: -len(end)]
            break
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "slz":
        word = word[:-1]
    return word[:6]
