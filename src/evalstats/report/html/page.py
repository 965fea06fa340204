"""One self-contained page from a result's JSON: it opens offline, and shows what that JSON holds.

A policy of its own forbids every request and all script and style but those it carries, by hash. All that
came from a log is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup, escape

from evalstats._version import __version__
from evalstats.carried import embedded
from evalstats.errors import InputError
from evalstats.report.html.pages import (
    agreement_page,
    comparisons_page,
    rank_page,
    scorecard_page,
    slices_page,
)
from evalstats.report.html.shown import harmless

_STYLES = ("tokens.css", "page.css", "narrow.css")

View = dict[str, Any]
PAGES: dict[str, Callable[[Mapping[str, Any]], View]] = {
    "agree": agreement_page,
    "compare": comparisons_page,
    "score": scorecard_page,
    "rank": rank_page,
    "slices": slices_page,
}


def page(document: Mapping[str, Any]) -> str:
    """The page of a result. document : what its `to_dict()` gave, or that read back from JSON.

    Raises InputError for a document of another kind.

    >>> from evalstats.analyses.score import score
    >>> page(score("360/500").to_dict()).splitlines()[0]
    '<!doctype html>'
    """
    verb = str(document.get("schema", "")).split("/")[1:2]
    if not verb or verb[0] not in PAGES:
        raise InputError(
            f"there is no page for {document.get('schema')!r}; there is one for {', '.join(PAGES)}."
        )
    view = PAGES[verb[0]](document)
    style, script = _style(), _asset("page.js")
    kind, text = embedded(document)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return rendered(
        view["template"],
        page=view,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        kind=kind,
        json=Markup(text),
        version=__version__,
    )


def rendered(template: str, **view: Any) -> str:
    """A template of this package over what it shows; all text in it is escaped."""
    return str(_environment().get_template(template).render(**view))


def result_page(result: Any) -> str:
    """The page of a result object: what `--html` writes."""
    return page(result.to_dict())


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("evalstats.report.html"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["options"] = options
    return environment


_OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*(?:\u00a0[\w.,/=]+| [\w.,/=]+(?=[.,;:)]|$))?")


def options(text: str) -> Markup:
    """A sentence with its options as code, so that their dashes are not taken for others.

    >>> str(options("by <topic>: --cluster topic."))
    'by &lt;topic&gt;: <code class="word">--cluster topic</code>.'
    """
    text, parts, at = harmless(text), [], 0
    for found in _OPTION.finditer(text):
        end = found.end() - (len(found.group()) - len(found.group().rstrip(".,")))
        parts += [
            escape(text[at : found.start()]),
            Markup('<code class="word">%s</code>') % text[found.start() : end],
        ]
        at = end
    return Markup("").join([*parts, escape(text[at:])])


@cache
def _asset(name: str) -> str:
    """A style or script of the package, as it stands."""
    loader = _environment().loader
    assert loader is not None
    return loader.get_source(_environment(), name)[0]


@cache
def _style() -> str:
    return "\n".join(_asset(name) for name in _STYLES)


def _hash(text: str) -> str:
    """What a Content-Security-Policy calls an inline element by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"
