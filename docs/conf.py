"""How Sphinx makes a site of these pages: `python -m docs`, from the top of the project."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import loadpath
from docs._ext.source_pages import STYLES

project = "Loadpath"
author = "The Loadpath developers"
release = version = loadpath.__version__

extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "docs._ext.equation_index",
    "docs._ext.example_pages",
    "docs._ext.for_all_readers",
    "docs._ext.keywords",
    "docs._ext.mathml",
    "docs._ext.name_links",
    "docs._ext.navigation",
    "docs._ext.project_pages",
    "docs._ext.reference",
    "docs._ext.run_cells",
    "docs._ext.source_pages",
    "docs._ext.symbol_search",
]
exclude_patterns = ["_ext", "_static", "_templates"]
templates_path = ["_templates"]

# Pages: Markdown that reads well on a code host, too.
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4

navigation = {
    "Start": ["install", "questions", "start/designer", "start/control_engineer", "start/student", "coming_from",
              "tutorials/index", "gallery"],
    "Robots and motions": [
        "robots", "robot_files", "checking_robots", "motions", "conventions", "inverse_kinematics", "closed_chains",
        "your_own",
    ],
    "Loads": [
        "inverse_dynamics", "load_breakdown", "peak_loads", "worst_case", "fastest", "drives", "statics", "moving_base",
        "handling", "report", "datasheet", "viewer",
    ],
    "Motion": ["forward_dynamics", "simulation", "stops", "identification", "families", "studies", "clusters",
               "exports"],
    "Does it hold?": ["bearings", "gears_and_motors", "exceptional", "sizing"],
    "Arms that bend": ["flexible_arms", "telescopes", "vibration", "flexible_simulation", "fatigue"],
    "Robots on wheels": ["mobile", "mobile_dynamics", "standards"],
    "The sources": ["sources/index", "formulations", "operation_counts", "errata"],
    "Reference": ["reference/index", "combinations", "robot_files_tried", "trust", "benchmarks", "how_it_works",
                  "elastic_models"],
    "Project": ["project/*", "site"],
}
order_in_folders = {
    "tutorials": ["first_robot", "causes_and_peaks", "your_own_robot", "on_wheels", "bending", "equations", "designs"],
    "reference": ["robot", "model", "catalog", "motions", "loads", "parts", "closed", "flexible", "mobile",
                  "identification", "books", "equations", "errors", "commands"],
}

html_theme = "furo"
html_title = f"Loadpath {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("_ext") / "search_scorer.js")
html_js_files = ["site.js"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_show_copyright = False  # the license is a page of the project
html_show_search_summary = False  # which a browser may not fetch from files
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b4f8c", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#8cc4ff", "color-brand-content": "#8cc4ff"},
}
pygments_style, pygments_dark_style = STYLES  # enough contrast for everyone
highlight_language = "text"
python_maximum_signature_line_length = 160
add_module_names = False
suppress_warnings = ["ref.python"]  # types that two modules name alike
toc_object_entries = False  # a thousand of them in every page would take minutes

# Copied code comes without prompts and results.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
