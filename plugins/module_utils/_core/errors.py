# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The one exception tree of the collection.

Every message names what it is about (connector, address, HTTP status, the server's own words) and, where there is
one, the way out. ``facts`` travel into the failed module's result, where secrets inside of offsets and URLs are masked (see _ansible.runner).
"""

from __future__ import annotations

from contextlib import contextmanager


class ConnectError(Exception):
    """Anything that ends a module with a readable failure."""

    def __init__(self, message: str, **facts):
        super().__init__(message)
        self.message = message
        self.facts = facts
        #: what the operator should know besides
        self.warnings = []

    def also(self, sentence: str, **facts) -> ConnectError:
        """This same error with one more sentence (and facts) for the reader, after a message of several lines on a line of its own."""
        stop = "\n" if "\n" in self.message else " " if self.message.endswith((".", "!", "?", ":")) else ". "
        self.message += stop + sentence
        self.args = (self.message,)
        self.facts.update(facts)
        return self

    def copy(self) -> ConnectError:
        """An error of its own with the same words, for one of several that it hits."""
        found = type(self).__new__(type(self), *self.args)
        found.__dict__.update(self.__dict__, facts=dict(self.facts), warnings=list(self.warnings))
        return found


class DeclarationError(ConnectError):
    """The declaration cannot be accepted; raised before anything is written."""


class OffsetsError(DeclarationError):
    """The declared offsets are not what the connector stores: an example of its own helps."""


@contextmanager
def about(name: str):
    """Of several declarations a DeclarationError says whose it is."""
    try:
        yield
    except DeclarationError as error:
        raise type(error)("%s: %s" % (name, error.message), **error.facts)


class StateError(ConnectError):
    """The connector is not in the state that the change needs."""


class WaitError(ConnectError):
    """A fact that was waited for did not come true in time."""


class Interrupted(ConnectError):
    """SIGINT or SIGTERM came during a change."""


class MethodError(ConnectError):
    """The chosen method (REST, topic, ...) is not able to make this change."""


class SharedTopic(MethodError):
    """Another Connect cluster may keep the offsets of a connector of the same name on the same topic: a change by any method is one for both."""


class WrongGroup(MethodError):
    """REST shows and changes another consumer group than the one with which the sink reads."""


class ReadBackError(ConnectError):
    """A fresh read after the change does not show what was declared."""


class RestError(ConnectError):
    """A call of the Connect REST API failed. Facts: url, method, http_status, server_message."""


class Unreachable(RestError):
    """No connection could be made, so the request was never sent."""


class ResponseLost(RestError):
    """The request was sent, but no usable answer came: it may or may not have been carried out."""


class Rebalancing(RestError):
    """Connect declined for the moment (a rebalance); nothing was done and a retry helps."""


class NoLeader(Rebalancing):
    """This worker cannot reach the leader of its cluster, so nothing was done; another worker may, and later this one, too."""


class OutcomeUnknown(RestError):
    """Connect or a proxy gave up half-way (time-out, lost leader): the request may have been carried out."""


class AccessDenied(RestError):
    """401, 403 or 407."""


class NotConnect(RestError):
    """Whatever answers at this address is not the root of a Connect REST API."""


class NoConnector(RestError):
    """Connect itself says that there is no such connector."""


class EndpointMissing(RestError):
    """This worker is too old for the call."""


class AmbiguousName(RestError):
    """A worker of 4.0 or later does not take this connector's name in a URL."""


class NotStopped(RestError):
    """Connect's own gate: offsets change only while the connector is STOPPED and has no tasks."""


class Exists(RestError):
    """409 on creation: a connector of that name is there already. A retry does not help."""


class Refused(RestError):
    """Connect or the connector's own validation refused the request; a retry does not help."""


class BrokerError(ConnectError):
    """A Kafka broker, or the client in front of it, failed. Facts: bootstrap_servers, kafka_error."""


class BrokersUnreachable(BrokerError):
    """No broker could be reached, or none that lets us in, within the time limit."""


class BrokerDenied(BrokerError):
    """The brokers refuse what we ask for: an ACL, or a credential, is missing."""


class NoTopic(BrokerError):
    """The topic does not exist. It is never created."""


class Fenced(BrokerError):
    """Another producer with the same transactional id has taken over; nothing of this transaction was written."""


class GroupInUse(BrokerError):
    """The consumer group has members, so Kafka refuses to change its offsets. The request changed nothing."""


class NotOffsetsTopic(ConnectError):
    """The topic holds other things than connector offsets."""


class WriteOutcomeUnknown(BrokerError):
    """The transaction was sent, but whether it is committed is not known."""


class TakenOver(WriteOutcomeUnknown):
    """The same, and another run with the same transactional id is at work: what is not there now must not be written again."""


class JobFailed(ConnectError):
    """The Spark job did not come to its end, so nothing is known of the data. Facts: files, report, verdict."""


class NotVerified(ConnectError):
    """The data did not do what was declared, or that cannot be told. Facts: files, verdict, checks, summary."""


class KubeError(ConnectError):
    """A call of the Kubernetes API failed. Facts: url, method, http_status."""


class KubeUnreachable(KubeError):
    """The API server cannot be reached, or cannot answer now. Nothing was done, or it is not known."""


class KubeDenied(KubeError):
    """401 or 403: no login, or a right is missing, which the message names."""


class KubeNotFound(KubeError):
    """The API server itself says that there is no such object."""


class KubeNotServed(KubeError):
    """The API server knows no such kind: its CRD is not installed."""


class KubeConflict(KubeError):
    """Somebody else has changed or created the object meanwhile. Nothing was done."""


class LibraryMissing(Exception):
    """A Python library that is needed cannot be imported. library: its name on PyPI; traceback: why."""

    def __init__(self, library: str, traceback: str):
        super().__init__(library)
        self.library = library
        self.traceback = traceback


#: a write that may or may not have been carried out: read back before anything else
UNSURE = (ResponseLost, OutcomeUnknown, WriteOutcomeUnknown)


def in_doubt(error: ConnectError) -> bool:
    """Can the write have been carried out, though this is its answer? Connect answers 500 also when only what came after it failed."""
    return isinstance(error, UNSURE) or isinstance(error, Refused) and (error.facts.get("http_status") or 0) >= 500


class Writes:
    """Whether this process has changed a connector, its offsets, a topic or a resource of Kubernetes: what a failure says at its end.

    Noted by what sends it. A record of the ledger, a backup and another file of our own are no such change.
    """

    def __init__(self):
        #: whether something was changed, or may have been
        self.made = False

    def note(self) -> None:
        self.made = True

    @contextmanager
    def sending(self):
        """Around a request that changes something. It is noted unless its error says for certain that nothing was changed."""
        refused = False
        try:
            yield
        except ConnectError as error:
            refused = not in_doubt(error) and not 200 <= (error.facts.get("http_status") or 0) < 300
            raise
        finally:
            self.made = self.made or not refused


#: those of this process
WRITES = Writes()
