# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links to files of this repository lead to one. With a folder: those between the pages of a site, and to their sections."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_MARKDOWN = re.compile(r"\]\(([^)\s]+)\)")
_RST = re.compile(r"^\.\. (?:image|figure):: (\S+)$", re.MULTILINE)


def of_repository(root: Path) -> list[str]:
    """What is wrong with the links of its Markdown files, and with the pictures of its RST files."""
    found = []
    for page in (*root.glob("*.md"), *root.glob("*/**/*.md"), *root.glob("docs/**/*.rst")):
        if not any(part.startswith(".") for part in page.relative_to(root).parts):
            text = page.read_text(encoding="utf-8")
            for link in (_RST if page.suffix == ".rst" else _MARKDOWN).findall(text):
                parts = urlsplit(link)
                target = page.parent / unquote(parts.path)
                if page.suffix == ".rst":
                    target = root / "docs" / "images" / Path(parts.path).name
                if not parts.scheme and parts.path and not target.exists():
                    found.append(f"{page.relative_to(root)}: there is no {link}")
    return found


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        self.links.add(given.get("href" if tag == "a" else "src") or "")


def of_site(site: Path) -> list[str]:
    pages = {path.resolve(): _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    found = [] if pages else [f"{site} has no pages"]
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not link:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                found.append(f"{path.relative_to(site.resolve())}: there is no {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                found.append(f"{path.relative_to(site.resolve())}: there is no section {link}")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(of_site(Path(sys.argv[1])) if len(sys.argv) > 1 else of_repository(Path())) or None)
