# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: `python3 -m stack up|status|down|purge|logs`."""

import argparse
import json
import re
import sys
import time

from stack.errors import StackError
from stack.jars import PLUGINS
from stack.manager import Stack
from stack.state import DEFAULT_VERSION, ClusterSpec

_CLUSTER = re.compile(r"(?P<name>[a-z][a-z0-9_-]*?)(?:=(?P<version>\d+\.\d+\.\d+))?(?:x(?P<workers>[1-9]\d*))?")
EXIT_FAILED = 1
EXIT_DOWN = 3


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"[{time.monotonic() - started:5.1f} s] {line}", file=sys.stderr, flush=True)

    try:
        return options.run(Stack(options.dir, say), options)
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        print("interrupted; what was started goes on: up continues, down stops it", file=sys.stderr)
        return 130


def parse_cluster(text: str) -> tuple[str, ClusterSpec]:
    """NAME[=VERSION][xN], as in main=4.3.1x2; ArgumentTypeError if it is not of that form."""
    match = _CLUSTER.fullmatch(text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME[=VERSION][xN], such as main=4.3.1x2")
    return match["name"], ClusterSpec(match["version"] or DEFAULT_VERSION, int(match["workers"] or 1))


def _property(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _up(stack: Stack, options: argparse.Namespace) -> int:
    clusters = dict(options.cluster)
    for spec in clusters.values():
        spec.offset_partitions = options.offset_partitions
        spec.properties = dict(options.property)
        spec.plugins = options.plugin
    endpoints = stack.up(clusters, secured=options.secured, broker_only=options.broker_only)
    print("ready", file=sys.stderr)
    _print(endpoints)
    return 0


def _status(stack: Stack, _options: argparse.Namespace) -> int:
    status = stack.status()
    _print(status)
    return 0 if status["running"] else EXIT_DOWN


def _down(stack: Stack, _options: argparse.Namespace) -> int:
    stack.down()
    return 0


def _purge(stack: Stack, _options: argparse.Namespace) -> int:
    stack.purge()
    return 0


def _logs(stack: Stack, _options: argparse.Namespace) -> int:
    for log in sorted(stack.layout.logs.glob("*.log")):
        print(log)
    return 0


def _print(document: dict) -> None:
    print(json.dumps(document, indent=2))


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--dir", help="directory of the stack (default: in the cache)")
    parser = argparse.ArgumentParser(prog="python3 -m stack", description="Kafka parts on loopback for demo and tests.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run, description: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=description, description=description, parents=[common])
        command.set_defaults(run=run)
        return command

    up = add("up", _up, "start what is missing, wait until it is ready, print the endpoints as JSON")
    up.add_argument(
        "--cluster",
        type=parse_cluster,
        action="append",
        default=[],
        metavar="NAME[=VERSION][xN]",
        help=f"a Connect cluster of N workers; may be given several times (default: main={DEFAULT_VERSION})",
    )
    up.add_argument("--offset-partitions", type=int, default=5, metavar="N", help="for new clusters (default: 5)")
    up.add_argument(
        "--property",
        type=_property,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a worker property for new clusters; may be given several times",
    )
    up.add_argument(
        "--plugin",
        choices=sorted(PLUGINS),
        action="append",
        default=[],
        help="a connector for the workers of new clusters; may be given several times",
    )
    up.add_argument("--secured", action="store_true", help="a new broker gets listeners for SASL_SSL and SSL, and ACLs")
    up.add_argument("--broker-only", action="store_true", help="make no Connect cluster where there is none")
    add("status", _status, f"print the state as JSON; exit code {EXIT_DOWN} if something is down")
    add("down", _down, "stop everything; data and logs stay")
    add("purge", _purge, "stop everything and delete data and logs")
    add("logs", _logs, "print the paths of the logs")
    return parser
