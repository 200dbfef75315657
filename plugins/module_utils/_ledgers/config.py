# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The ledger as a marker in the connector's own configuration, for those who have nothing but REST.

Connect has no compare-and-set: a PUT replaces the whole configuration, whoever has changed it meanwhile. So what was put is read back,
for the first writing of a change also a moment later. Two runs that start the same change at once both believe to be alone only if one
of them is held up for longer than that moment between its reading and its writing. A reconfiguration by somebody else between
the two is lost. A worker restarts a running connector whose configuration changes, this key of it included.
"""

from __future__ import annotations

import json
import re
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._config import LEDGER, MASK, secrets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import STARTED, Unreadable, age, check_known, decode, encode, same

#: how many changes are kept, and how many bytes they may have in the record that the workers keep a configuration in: it is limited to a
#: megabyte, and many connectors hand on all of theirs to each task
KEPT = 10
MOST = 500000

_TRIES = 3
#: seconds until every worker shows what was put; after which a claim is looked at once more
_SHOWN = 15.0
_PAUSE = 0.1
_MOMENT = 0.4

_HIDDEN = re.compile(r"\*{4,}|\[hidden\]", re.IGNORECASE).fullmatch
_PLACE = "in its configuration"
_INSTEAD = "Keep the ledger elsewhere: ledger: topic, or ledger: file with ledger_file."


class ConfigLedger:
    """where, changes(connector), put(change, known): see _ledger. warnings: what is to be known besides."""

    kind = "config"

    def __init__(self, client, connector=None, sleep=time.sleep, clock=time.monotonic):
        """connector: None to look at all of them."""
        self.client = client
        self.connector = connector
        self.warnings = []
        self._sleep = sleep
        self._clock = clock

    @property
    def where(self) -> str:
        return "the configuration of %s (%s)" % ("each connector" if self.connector is None else self.connector, LEDGER)

    def close(self, connector: str) -> None:
        """There is nothing to let go of."""

    def lacking(self, check_mode: bool) -> list:
        """No right on the brokers is needed."""
        return []

    # ---- reading -----------------------------------------------------------------------------------------------

    def changes(self, connector=None) -> list:
        """Raises Unreadable if one of this connector's cannot be understood; of all connectors these are left out, with a warning."""
        connector = connector or self.connector
        if connector is not None:
            return sorted(self._read(self._config(connector), connector), key=age)
        found = []
        for name, parts in sorted(self.client.connectors().items()):
            try:
                found += self._read((parts.get("info") or {}).get("config") or {}, name)
            except Unreadable as error:
                if error.message not in self.warnings:
                    self.warnings.append(error.message)
        return sorted(found, key=age)

    def _config(self, connector) -> dict:
        try:
            return self.client.info(connector)["config"]
        except errors.AmbiguousName as error:
            raise self._no_url(error)
        except errors.NoConnector as error:
            raise error.also("The ledger is in its configuration, so nothing is known of its changes any more, and nothing was changed.")

    def _read(self, config, connector) -> list:
        """In the order of their last writing."""
        text = config.get(LEDGER)
        what = "The configuration of %s (%s)" % (connector, LEDGER)
        if not text:
            return []
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, list):
            raise Unreadable("%s is no list of changes. So whether a change was made is not known, and nothing was changed. Mend that value, or "
                             "remove it from the configuration." % what)
        changes = [decode(one, what) for one in found]
        if any(one.connector != connector for one in changes):
            raise Unreadable("%s speaks of another connector: it was copied from there. Nothing was changed. Remove it from the configuration."
                             % what)
        return changes

    # ---- writing -----------------------------------------------------------------------------------------------

    def put(self, change, known) -> None:
        """Raises Taken; errors of REST."""
        for _attempt in range(_TRIES):
            config = self._config(change.connector)
            held = self._read(config, change.connector)
            actual = _find(held, change)
            if same(actual, change):
                return
            check_known(actual, change, known, _PLACE)
            self._check_hidden(config, change.connector)
            text = self._text([one for one in held if one is not actual], change)
            if self._put(dict(config, **{LEDGER: text}), change, known):
                return
        raise errors.WaitError("The change %s of %s was put into its configuration %d times, and was gone from there each time: somebody else "
                               "puts another configuration. %s" % (change.change_id, change.connector, _TRIES, _INSTEAD))

    def _check_hidden(self, config, name) -> None:
        """Some services answer with stars where a password is. Put back like that it would be lost."""
        hidden = sorted(key for key, value in config.items() if _HIDDEN(str(value)))
        if hidden:
            raise errors.ConnectError(
                "The worker at %s hides values of the configuration of %s (%s), so that it cannot be put back as it is, and the ledger cannot "
                "be in it. Nothing was changed. %s" % (self.client.url, name, ", ".join(hidden), _INSTEAD))

    def _text(self, others, change) -> str:
        """What fits, newest last. What was begun and not ended is kept. Raises ConnectError."""
        while True:
            text = _join(others + [change])
            done = [one for one in others if one.phase != STARTED]
            if _size(text) <= MOST and (len(others) < KEPT or not done):
                return text
            if not done:
                raise errors.ConnectError(
                    "The change %s of %s (%d partitions) is too large for the connector's configuration, where a ledger may have %d bytes. "
                    "Nothing was changed. %s" % (change.change_id, change.connector, len(change.after or []), MOST, _INSTEAD))
            others = [one for one in others if one is not done[0]]

    def _put(self, config, change, known) -> bool:
        """False where something else was put over it at once."""
        name = change.connector
        unsure = None
        try:
            self.client.require_url(name)  # a PUT would be answered with an empty page
            self.client.put_config(name, config)
        except errors.AmbiguousName as error:
            raise self._no_url(error)
        except errors.NoConnector as error:
            raise error.also("It was deleted meanwhile; nothing was changed.")
        except errors.Refused as error:
            raise self._refused(error, config, name)
        except errors.UNSURE as error:
            unsure = error
        end = self._clock() + _SHOWN
        while True:
            actual = self._held(change)
            if same(actual, change):
                break
            if not same(actual, known):
                check_known(actual, change, known, _PLACE)
            if self._clock() > end:
                if unsure is not None:
                    raise unsure.also("It is not in the configuration of %s now." % name)
                return False
            self._sleep(_PAUSE)
        if known is None:
            self._sleep(_MOMENT)
            actual = self._held(change)
            if not same(actual, change):
                check_known(actual, change, known, _PLACE)
                return False
        return True

    def _no_url(self, error):
        return error.also("So the ledger cannot be in its configuration; nothing was changed. %s" % _INSTEAD)

    def _held(self, change):
        return _find(self._read(self._config(change.connector), change.connector), change)

    def _refused(self, error, config, name):
        """Its validation may quote the configuration, secrets and all."""
        said = error.facts.get("server_message") or error.message
        for secret in sorted(secrets(config), key=len, reverse=True):
            said = said.replace(secret, MASK)
        facts = {key: value for key, value in error.facts.items() if key != "server_message"}
        return errors.Refused(
            "The configuration of %s does not take the ledger (the key %s): %s %s. Nothing was changed. A connector may refuse keys that it does "
            "not know. %s" % (name, LEDGER, "the worker answered", _short(said.replace(config[LEDGER], "...")), _INSTEAD), **facts)


def _size(text) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _short(text) -> str:
    text = " ".join(text.split()).rstrip(".")
    return text if len(text) <= 600 else text[:597] + "..."


def _find(changes, change):
    return next((one for one in changes if one.change_id == change.change_id), None)


def _join(changes) -> str:
    """Without "${": a worker would put the answer of a config provider in its place (KIP-297)."""
    return ("[%s]" % ",".join(encode(one) for one in changes)).replace("$", "\\u0024")
