"""Plain English in documents, docstrings and messages: phrases that sound translated, and better ones."""

import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb")]
SOURCES = [
    path
    for folder in ("src", "examples", "website")
    for kind in ("*.py", "*.mjs", "*.html", "*.md")
    for path in (ROOT / folder).rglob(kind)
]
PROSE = (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
COUNTED = (
    "row|column|line|class|label|step|update|batch|epoch|pass|pattern|sample|example|unit|input|output|layer|"
    "dataset|file|trial|draw|cell|job|page|process|call|cue"
)
PREPOSITION = r"(?:of|from|for|in|to|at|with|as|by|on|and|or|that|is)\b"
OWNER = r"(?:[Yy]our|its|their|our|my|his|her|whose|[\w-]+[’']s|[\w-]+s[’'])"
PHRASES = {
    # as found: what to write
    rf"\bone(?: (?!{PREPOSITION})[a-z]+)? an? (?:{COUNTED})\b": "one … per row",
    rf"\b(?:once|twice|times|[Ss]amples) an? (?:{COUNTED})\b(?! (?:is|was|has)\b)": "once per step",
    rf"\bby [\d.]+ an? (?:{COUNTED})\b": "by 0.01 per batch",
    r"\bone[’']s own\b": "your own",
    rf"(?<!\S)(?!{OWNER} )[\w’'-]+ own (?!way\b)\w+": "your own, custom",
    r"\b(?:is|are|was|were|be|been) told\b(?! (?:apart|from)\b)": "is reported, is given",
    r"\bby and by\b": "gradually",
    r"\b(?:hears?|heard|to hear) of\b": "find out",
    r"\bthat you may know\b": "familiar",
    r"\b(?:is|are) worth beside\b": "compares with",
    r"\b[Tt]he way of the data\b": "data flow",
    r"\bquestions asked of\b": "input validation",
    r"(?<!by )\b(?:hands?|handed) in\b": "passes",
    r"\bas if nothing had been\b": "as if never interrupted",
    r"\bwith a word\b(?! or)": "with a message",
    r"\b(?:go|goes|going|went|gone) on\b(?! a page)": "continues, resumes",
    r"\b(?:Checked|Centered|Shown|Left out|Refused) (?:is|are)\b(?= [a-z]+ )": "the loader checks …",
    r"\bBeside (?:it|them) stands?\b": "it also includes",
    r"\bwants? to be\b": "should be",
    r"\bbrought to (?:its|their) end\b": "finished",
    r"\ba line of the cache\b": "cache-line-aligned",
    r"\bwait for each other\b": "spin barrier, synchronise",
    r"\b(?:is|are) left over\b": "remains; is uninitialised",
}


def flowing(text):
    """Return a text on one line, without the marks of comments and the quotes of notebooks."""
    return re.sub(r'(?:\\n",)?\s*\n\s*(?:#|//|"|>)?\s*', " ", text)


def prose_of(path):
    """Return the text of a document; of a Python file the docstrings, messages and comments."""
    if path.suffix != ".py":
        return flowing(path.read_text(encoding="utf-8"))
    with tokenize.open(path) as file:
        tokens = [token for token in tokenize.generate_tokens(file.readline) if token.type in PROSE]
    return flowing("\n".join(token.string.strip('#"') for token in tokens))


def found_in(text):
    return [
        f"{match[0]!r} in “…{text[max(0, match.start() - 30) : match.end() + 30]}…”: write {better!r}"
        for pattern, better in PHRASES.items()
        for match in re.finditer(pattern, text)
    ]


@pytest.mark.parametrize(
    "phrase",
    [
        "one pattern a row",
        "one a row",
        "once a step",
        "Samples an update",
        "a rule of one's own",
        "with own tables",
        "Guess the label before it is told",
        "it learns by and by",
        "training goes on",
        "Checked are all files",
        "what is left over",
    ],
)
def test_the_phrases_are_found_also_across_lines(phrase):
    assert found_in(phrase)
    assert found_in(flowing(phrase.replace(" ", "\n    # ")))


@pytest.mark.parametrize(
    "phrase",
    [
        "one pattern per row",
        "one of a pair",
        "your own rule, its own folder, PyTorch's own functions, users' own code",
        "what can be told apart",
        "training resumes",
    ],
)
def test_plain_phrases_are_not(phrase):
    assert not found_in(phrase)


def test_code_is_no_prose(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        'if own and kept:  # goes on\n    raise ValueError("one number "\n                     "a pattern")\n'
    )
    assert len(found_in(prose_of(path))) == 2


@pytest.mark.parametrize("path", [*DOCUMENTS, *SOURCES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_texts_have_none_of_them(path):
    found = found_in(prose_of(path))
    assert not found, "\n".join(found)
