"""How Sphinx builds the site of kb-score; what is not in docs/ comes from ``kb_score_site``."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

project = "kb-score"
# GitHub would leave out some folders of the site unless told not to.
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.githubpages",
    "kb_score_site",
]
# The signature has the types, and names need no module: they are all kb_score's.
add_module_names = False
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
python_use_unqualified_type_names = True
# Signatures name types of Python's library and of our own that have no entry here.
nitpick_ignore_regex = [("py:.*", ".*")]
exclude_patterns = ["reference/sources"]
# Quotes in rules and messages are what they are.
smartquotes = False
myst_heading_anchors = 3

html_theme = "furo"
html_title = "kb-score"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
# Every page has its Markdown beside it, which `llms.txt` names.
html_copy_source = False
html_favicon = "static/favicon.svg"
myst_html_meta = {
    "description": "Scores for board games, with a reason for every point, "
    "from rules that you can read and change.",
    "property=og:title": "kb-score",
    "property=og:image": "_static/sheet.png",
}
html_show_copyright = False
