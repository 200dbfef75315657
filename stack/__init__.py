# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Kafka parts on loopback for the demo and the tests: one broker, any number of Connect workers."""

from stack.errors import StackError
from stack.manager import Stack
from stack.state import ClusterSpec

__all__ = ["ClusterSpec", "Stack", "StackError"]
