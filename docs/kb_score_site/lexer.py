"""The colours of answer set programs, which Pygments does not know."""

from __future__ import annotations

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace


class AspLexer(RegexLexer):
    """Reads answer set programs as clingo does."""

    name = "ASP"
    tokens = {  # noqa: RUF012 - Pygments wants it so
        "root": [
            (r"\s+", Whitespace),
            (r"%\*", Comment.Multiline, "comment"),
            (r"%.*", Comment.Single),
            (r'"(?:\\.|[^"\\])*"', String),
            (r"#[a-z]+|not\b", Keyword),
            (r"_*[A-Z][\w']*|_(?!\w)", Name.Variable),
            (r"_*[a-z][\w']*(?=\()", Name.Function),
            (r"_*[a-z][\w']*", Name),
            (r"\d+", Number.Integer),
            (r":-|:~|\.\.|[-+*/\\&|?^~=<>!@]", Operator),
            (r"[.,;:(){}\[\]]", Punctuation),
        ],
        "comment": [
            (r"%\*", Comment.Multiline, "#push"),
            (r"\*%", Comment.Multiline, "#pop"),
            (r"[^%*]+|.", Comment.Multiline),
        ],
    }
