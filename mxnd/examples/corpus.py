"""Sentences of the documentation that Python's standard library carries, each with the module it is from."""
import ast
import re
import sysconfig
import zlib
from collections import Counter, namedtuple
from pathlib import Path

import numpy as np

TOPICS = ("asyncio", "decimal", "difflib", "email", "http", "importlib", "inspect", "ipaddress", "logging", "multiprocessing",
          "statistics", "tkinter", "turtle", "typing", "unittest", "urllib", "xml")

# Rows of words: row i has columns indices[indptr[i]:indptr[i + 1]] and the values beside them; labels index topics.
Rows = namedtuple("Rows", "data indices indptr labels")


def sources(topic):
    """The source files of a module or package (what is compiled in Python has its text in a twin: _pydecimal)."""
    library = Path(sysconfig.get_paths()["stdlib"])
    for place in (library / topic, library / f"_py{topic}.py", library / f"{topic}.py"):
        if place.is_dir():
            return sorted(f for f in place.rglob("*.py") if "test" not in f.parts)
        if place.is_file():
            return [place]
    return []


def sentences(topic):
    """(part, words) of each sentence of at least four words; all of one docstring lie in one part, 0 to 4."""
    hidden = set(TOPICS)
    for source in sources(topic):
        for node in ast.walk(ast.parse(source.read_bytes())):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node) or ""
                part = zlib.crc32(text.encode()) % 5
                for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", text):
                    words = re.findall(r"[a-z]{2,}", sentence.lower())
                    if len(words) >= 4:
                        yield part, sorted(set(words) - hidden)       # the topic's own name would give it away


def load():
    """(train, test, words, topics): two Rows, the words of the columns and the names of the labels.

    Rows have length 1 and hold which words occur; a word needs two occurrences in the training sentences.
    A fifth of the docstrings is for testing."""
    found = {topic: list(sentences(topic)) for topic in TOPICS}
    topics = [topic for topic in TOPICS if len(found[topic]) >= 50]      # a Python without tkinter has fewer
    seen = Counter(word for topic in topics for part, words in found[topic] if part for word in words)
    words = sorted(word for word, count in seen.items() if count >= 2)
    column = {word: i for i, word in enumerate(words)}
    parts = []
    for test in (False, True):
        rows = [([column[w] for w in words_ if w in column], label) for label, topic in enumerate(topics)
                for part, words_ in found[topic] if (part == 0) == test]
        rows = [(columns, label) for columns, label in rows if columns]
        counts = np.array([len(columns) for columns, _ in rows])
        parts.append(Rows(np.repeat(1 / np.sqrt(counts), counts).astype(np.float32),
                          np.concatenate([columns for columns, _ in rows]).astype(np.int64),
                          np.concatenate([[0], counts.cumsum()]).astype(np.int64),
                          np.array([label for _, label in rows], np.float32)))
    return *parts, words, topics


def choose(rows, chosen):
    """Some of the rows, in this order."""
    starts, counts = rows.indptr[chosen], np.diff(rows.indptr)[chosen]
    indptr = np.concatenate([[0], counts.cumsum()])
    places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], counts)
    return Rows(rows.data[places], rows.indices[places], indptr, rows.labels[chosen])
