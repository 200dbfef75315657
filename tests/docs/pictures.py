# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the documentation have to be what this draws: a dry run in a terminal, the page of a verification, which method when.

With --write they are written.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from tests.docs.blocks import LEFT_OUT, Block, parse

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "images"
#: what the verification of `make demo` has written
REPORT = Path(__file__).with_name("report.json")
PROGRAM = ROOT / "roles" / "verify_replay" / "files"
DRY_RUN = ROOT / "docs" / "docsite" / "rst" / "guide_replay_since.rst"

_HEAD = """<!--
Copyright (c) 2026 streamops contributors
GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
SPDX-License-Identifier: GPL-3.0-or-later
-->
"""
_LINE, _CHARACTER = 20, 8.2

#: question, and where "yes" leads to; "no" leads to the next question
QUESTIONS = (
    ("Does Strimzi manage the connector?", "method: strimzi", "a KafkaConnector or KafkaMirrorMaker2 resource"),
    ("Is it a standalone worker that is down?", "offset file", "kafka_connect_worker_config or kafka_connect_offset_file"),
    ("Does it exist, on Connect 3.6 or later?", "method: rest", "the worker itself checks the change"),
    ("Is it a sink?", "method: group", "the consumer group; needs kafka_bootstrap_servers"),
)
LAST = ("method: topic", "the offsets topic; needs kafka_bootstrap_servers")


# --- a terminal


def dry_run() -> str:
    block = next(part for part in parse(DRY_RUN.read_text(encoding="utf-8"))
                 if isinstance(part, Block) and "diff" in part.selectors)
    lines = [line for line in block.lines if line != LEFT_OUT]
    width = round(max(len(line) for line in lines) * _CHARACTER) + 40
    height = len(lines) * _LINE + 60
    rows = [f'<text x="20" y="{54 + number * _LINE}" class="{_kind(line)}" xml:space="preserve">{escape(line, quote=False)}</text>'
            for number, line in enumerate(lines) if line]
    style = ("text{font:13.5px ui-monospace,Menlo,Consolas,monospace;fill:#d0d7de}.add{fill:#56d364}.cut{fill:#ff7b72}"
             ".command{fill:#fff;font-weight:bold}.head{fill:#79c0ff}")
    colours = ("#ff5f56", "#ffbd2e", "#27c93f")
    dots = "".join(f'<circle cx="{22 + 18 * number}" cy="18" r="6" fill="{colour}"/>' for number, colour in enumerate(colours))
    return _svg(width, height, "A dry run in a terminal", style, [
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>', dots, *rows])


def _kind(line: str) -> str:
    if line.startswith("$ "):
        return "command"
    if re.match(r"(---|\+\+\+|@@) ", line) or line.startswith("CLUSTER "):
        return "head"
    return {"+": "add", "-": "cut"}.get(line[:1], "plain")


# --- the page of a verification


def report() -> str:
    """The head of the page, its checks and the first topic, as roles/verify_replay/files/verify_replay/html.py writes them."""
    sys.path.insert(0, str(PROGRAM))
    from verify_replay.html import page

    text = page(json.loads(REPORT.read_text(encoding="utf-8")))
    head, *sections = re.findall(r"<header.*?</header>|<section.*?</section>", text, re.DOTALL)
    checks, topic = sections[0], sections[1]
    style = ("text{font:14px system-ui,sans-serif;fill:#1c2330}.title{font-size:26px;font-weight:bold;fill:#fff}.light{fill:#fff}"
             ".name{font-size:18px;font-weight:bold}.soft{font-size:12.5px;fill:#5d6778}.badge{font-size:12.5px;font-weight:bold;fill:#fff}"
             ".number{font-size:20px;font-weight:bold}.card{fill:#fff;stroke:#dfe3ea}.pass,.both{fill:#1a7f4b}.before{fill:#9fb3cc}.after{fill:#2f74c0}"
             ".edge{stroke:#1c2330;stroke-width:1.5}.axis{font-size:12px;fill:#5d6778}")
    rows = ['<rect width="900" height="480" fill="#f5f6f8"/>', '<rect class="pass" x="20" y="20" width="860" height="96" rx="12"/>']
    rows.append(f'<text class="title" x="44" y="58">{_texts(head, "h1")[0]}</text>')
    rows.append(f'<text class="light" x="44" y="88">{" · ".join(_texts(head, "p"))}</text>')
    rows += _report_checks(checks)
    rows += _report_topic(topic)
    return _svg(900, 480, "The page of a verification", style, rows)


def _report_checks(section: str) -> Iterator[str]:
    yield '<rect class="card" x="20" y="132" width="860" height="110" rx="12"/>'
    for number, row in enumerate(re.findall(r"<tr><td>.*?</details>", section, re.DOTALL)):
        top = 170 + 44 * number
        verdict, name = _texts(row, "span")[0], re.search(r'class="name">(.*?)<', row)[1]
        yield f'<rect class="{verdict}" x="44" y="{top - 16}" width="54" height="22" rx="11"/>'
        yield f'<text class="badge" x="57" y="{top}">{verdict}</text>'
        yield f'<text x="120" y="{top}">{name}</text><text x="290" y="{top}">{re.search(r"</small></td><td>(.*?)<details", row)[1]}</text>'


def _report_topic(section: str) -> Iterator[str]:
    yield '<rect class="card" x="20" y="258" width="860" height="202" rx="12"/>'
    yield f'<text class="name" x="44" y="290">{_texts(section, "h2")[0]}</text>'
    cards = re.findall(r"<div><b>(.*?)</b><span>(.*?)</span></div>", section)
    for number, (value, label) in enumerate(cards):
        left = 44 + 164 * number
        yield f'<rect class="card" x="{left}" y="304" width="152" height="58" rx="10"/>'
        yield f'<text class="number" x="{left + 13}" y="330">{value}</text><text class="soft" x="{left + 13}" y="350">{label}</text>'
    shares, partitions = re.findall(r"<svg .*?</svg>", section, re.DOTALL)[:2]
    yield f'<text class="soft" x="44" y="384">{_texts(section, "h3")[0]}</text>' + _placed(shares, 392, 18)
    yield f'<text class="soft" x="44" y="430">{_texts(section, "h3")[1]}</text>' + _placed(partitions, 434, 26)


def _texts(markup: str, tag: str) -> list[str]:
    return re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", markup, re.DOTALL)


def _placed(drawing: str, top: int, height: int) -> str:
    return drawing.replace("<svg ", f'<svg x="44" y="{top}" width="812" height="{height}" ', 1)


# --- a decision


def methods() -> str:
    step, width = 92, 900
    height = step * (len(QUESTIONS) + 1) - 4
    style = ("text{font:15px system-ui,sans-serif;fill:#1f2328}.small{font-size:12.5px;fill:#59636e}.method{font-weight:bold}"
             "rect{stroke:#59636e}.question{fill:#ddf4ff}.answer{fill:#dafbe1}path{stroke:#59636e;fill:none;marker-end:url(#arrow)}")
    arrow = ('<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
             '<path d="M0,0 L8,4 L0,8 z" style="fill:#59636e;stroke:none"/></marker></defs>')
    rows = [f'<rect width="{width}" height="{height}" style="fill:#fff;stroke:none"/>', arrow]
    for number, (question, method, why) in enumerate(QUESTIONS):
        rows += _question(step * number + 8, step, question, method, why)
    rows += _answer(20, step * len(QUESTIONS) + 8, *LAST)
    return _svg(width, height, "Which method when", style, rows)


def _question(top: int, step: int, question: str, method: str, why: str) -> Iterator[str]:
    yield f'<rect class="question" x="20" y="{top}" width="400" height="56" rx="8"/>'
    yield f'<text x="36" y="{top + 33}">{escape(question)}</text>'
    yield f'<path d="M420,{top + 28} H480"/><text class="small" x="434" y="{top + 20}">yes</text>'
    yield f'<path d="M220,{top + 56} V{top + step}"/><text class="small" x="228" y="{top + 78}">no</text>'
    yield from _answer(480, top, method, why)


def _answer(left: int, top: int, method: str, why: str) -> Iterator[str]:
    yield f'<rect class="answer" x="{left}" y="{top}" width="400" height="56" rx="8"/>'
    yield f'<text class="method" x="{left + 16}" y="{top + 24}">{escape(method)}</text>'
    yield f'<text class="small" x="{left + 16}" y="{top + 44}">{escape(why)}</text>'


def _svg(width: int, height: int, label: str, style: str, rows: list[str]) -> str:
    body = "\n".join(rows)
    return (f'{_HEAD}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{label}">\n<style>{style}</style>\n{body}\n</svg>\n')


def main() -> int:
    stale = []
    for path, text in ((FOLDER / "dry_run.svg", dry_run()), (FOLDER / "report.svg", report()), (FOLDER / "methods.svg", methods())):
        if "--write" in sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(f"{path.relative_to(ROOT)} is not what is drawn now: python -m tests.docs.pictures --write")
    print("\n".join(stale), end="\n" if stale else "")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
