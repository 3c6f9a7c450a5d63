"""The documents are true: every command in them is run, and prints what they say.

A block marked ``console`` holds commands after ``$`` and what they print on both streams; a line
``...`` stands for any lines. All blocks of a document run in one folder, with a copy of the
project's boards, rules, documents and golfed programs. The two commands of the README that install,
in blocks marked ``sh``, are run by .ci/run and by tests/test_package.py.
"""

import contextlib
import doctest
import importlib
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import mypy.api
import pytest

from kb_score.errors import FileKind
from kb_score.games import list_games
from tests.transcripts import blocks, commands, matches, run, run_in_shell

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path.relative_to(ROOT)
    for path in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        ROOT / "asp" / "README.md",
        ROOT / "golf" / "README.md",
    ]
)
# Documents whose commands take more than a second of a processor.
SLOW = frozenset(
    Path(f"docs/{name}.md")
    for name in (
        "advise",
        "bots",
        "bots_compliance",
        "change-a-rule",
        "cluster",
        "compare",
        "contests",
        "file-formats",
        "kingdom_builder",
        "kingdom_builder_bots",
        "pictures",
        "playground",
        "rabbits",
        "restore",
        "search_party",
        "slime",
        "solve",
        "test-your-rules",
    )
)
# What the commands of a document need beyond kb-score itself.
NEEDS = {Path("docs/cluster.md"): "distributed"}
_LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


WITH_COMMANDS = [
    document for document in DOCUMENTS if blocks((ROOT / document).read_text(), "console")
]


def prepare(folder: Path) -> None:
    """Copy what the documents speak of."""
    for name in ("asp", "boards", "docs", "golf", "tests/fifth_game"):
        shutil.copytree(ROOT / name, folder / name)
    # The program that pip leaves out, as docs/gdl.md makes it of the library.
    program = folder / "bin" / "clingo"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\n"
        "import clingo.script\n\n"
        "clingo.script.enable_python()\n"
        "clingo.clingo_main(clingo.Application())\n"
    )
    program.chmod(0o755)


@pytest.mark.parametrize(
    "document",
    [pytest.param(d, marks=[pytest.mark.slow] if d in SLOW else []) for d in WITH_COMMANDS],
    ids=str,
)
def test_the_commands_of_a_document_print_what_it_says(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if document in NEEDS and not os.environ.get("KB_SCORE_EXTRAS"):
        pytest.importorskip(NEEDS[document], reason="needs an extra of kb-score")
    prepare(tmp_path)
    programs = os.pathsep.join(
        map(str, [tmp_path / "bin", Path(sys.executable).parent, os.environ["PATH"]])
    )
    monkeypatch.setenv("PATH", programs)
    monkeypatch.setenv("COLUMNS", "200")
    # The README is what people try first: each of its commands is a process, as theirs are.
    go = run_in_shell if document == Path("README.md") else run
    status = 0
    try:
        for block in blocks((ROOT / document).read_text(), "console"):
            for command, shown in commands(block):
                printed, status = go(command, tmp_path, status)
                assert matches(printed, shown), f"$ {command}\nprints:\n{printed}\nnot:\n{shown}"
        for picture in (ROOT / "docs").glob("*.svg"):
            drawn = tmp_path / "docs" / picture.name
            assert drawn.read_bytes() == picture.read_bytes(), f"{picture.name} has changed"
    finally:
        # What a document starts it ends, unless a command of it failed before.
        for path in tmp_path.glob("*.pid"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(path.read_text()), signal.SIGTERM)


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_python_in_a_document_gives_what_it_says(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for block in blocks((ROOT / document).read_text(), "pycon"):
        test = doctest.DocTestParser().get_doctest(block, names, str(document), str(document), 0)
        assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
        # A block goes on where the one before it has ended.
        names = test.globs


@pytest.mark.slow
def test_python_in_documents_has_the_types_that_it_says(tmp_path: Path) -> None:
    paths = []
    for document in DOCUMENTS:
        examples: list[doctest.Example] = []
        for block in blocks((ROOT / document).read_text(), "pycon"):
            examples += doctest.DocTestParser().get_examples(block)
        if examples:
            path = tmp_path / f"{document.stem.replace('-', '_')}.py"
            path.write_text("".join(example.source for example in examples))
            paths.append(str(path))
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\n[mypy-pettingzoo.*]\nignore_missing_imports = True\n")
    said, _, status = mypy.api.run(["--config-file", str(config), *paths])

    assert paths
    assert status == 0, said


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_the_links_of_a_document_lead_somewhere(document: Path) -> None:
    for link in _LINK.findall((ROOT / document).read_text()):
        assert "://" in link or (ROOT / document.parent / link).exists(), link


def test_no_document_but_the_readme_has_commands_that_are_not_run() -> None:
    for document in DOCUMENTS:
        expected = 2 if document == Path("README.md") else 0
        assert len(blocks((ROOT / document).read_text(), "sh")) == expected, document


def test_ci_calls_the_test_command_of_the_readme() -> None:
    found = [b for b in blocks((ROOT / "README.md").read_text(), "sh") if "[test]" in b]

    assert len(found) == 1
    assert "pytest" in found[0].split("&&")[-1]
    assert r"grep -m 1 'pip install .*\[test\]' README.md" in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize("folder", ["cards", "deeds", "tiles"])
def test_the_table_of_kingdom_builder_has_every_rule_file(folder: str) -> None:
    text = (ROOT / "docs" / "kingdom_builder.md").read_text()
    told = re.findall(
        rf"`({folder}/[a-z_]+\.lp)`", "".join(re.findall(r"^\|.*$", text, re.MULTILINE))
    )
    files = (ROOT / "asp" / "kingdom_builder" / folder).glob("*.lp")

    assert sorted(told) == sorted(f"{folder}/{path.name}" for path in files)


@pytest.mark.parametrize("game", ["kingdom_builder", "rabbits", "search_party", "slime"])
def test_the_documents_list_the_codes_of_the_rules(game: str) -> None:
    # A code of several words is a text that looks like no other text in the rules.
    texts = (path.read_text() for path in (ROOT / "asp" / game).rglob("*.lp"))
    codes = {code for text in texts for code in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', text)}
    page = (ROOT / "docs" / "file-formats.md").read_text().partition("\n## Codes\n")[2]
    rows = re.findall(rf"^\| {game.replace('_', '-')}\b.*? \| (`.*) \|$", page, re.MULTILINE)
    listed = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}

    assert codes
    assert codes <= listed


def test_the_documents_tell_how_large_each_kind_of_file_may_be() -> None:
    text = (ROOT / "docs" / "file-formats.md").read_text()
    told = re.findall(r"^\| [^|]+: ([^|:]+) \| ([0-9,]+) \|", text, re.MULTILINE)
    paths = (path.relative_to(ROOT) for path in (ROOT / "kb_score").rglob("[a-z]*.py"))
    modules = [importlib.import_module(".".join(path.with_suffix("").parts)) for path in paths]
    kinds = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, FileKind)
    }
    for game in list_games().values():
        kinds |= {game.type.record, *game.type.maps}

    assert set(told) == {(kind.words, f"{kind.most:,}") for kind in kinds}
