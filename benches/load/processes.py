"""Processes of the program, and what each took."""

import contextlib
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Taken:
    """Seconds by the clock, seconds of a processor, and the most memory at one moment, in megabytes (10^6 bytes)."""

    seconds: float
    processor: float
    megabytes: float


class Failed(Exception):
    """A process ended with another code than it should have."""


def run(words, codes=(0,), out=None):
    """Runs a command to its end. What it prints goes to the file `out`, or nowhere."""
    return watch(words, codes, out, None, lambda child: None)


def run_until(words, pattern, log, codes):
    """Runs a command until it says something on stderr, which goes to the file `log`; asks it to end then, and waits.

    Gives what it took until then, but for its memory, which is the most until its end.
    """
    until, begin = [], time.monotonic()

    def look(child):
        if not until and re.search(pattern, log.read_text(encoding="utf-8"), re.MULTILINE):
            until.extend([time.monotonic() - begin, processor_seconds(child.pid)])
            child.send_signal(signal.SIGINT)

    whole = watch(words, codes, None, log, look)
    if not until:
        raise Failed(f"{' '.join(map(str, words))}: ended without saying {pattern}")
    return Taken(until[0], until[1], whole.megabytes)


def watch(words, codes, out, log, look):
    """Runs a command, and looks at it every few milliseconds until it has ended."""
    words = list(map(str, words))
    begin = time.monotonic()
    with open(out or os.devnull, "wb") as printed, open(log, "wb") if log else contextlib.nullcontext() as said:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=printed, stderr=said)
        while True:
            # Unlike the wait of subprocess, this one says what the process took.
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            look(child)
            time.sleep(0.005)
    seconds = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        raise Failed(f"{' '.join(words)}: ended with {child.returncode}, not one of {codes}")
    return Taken(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def processor_seconds(pid):
    """Seconds of a processor that a process has had so far."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        # The name in brackets may hold anything; user and system time are fields 14 and 15.
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
