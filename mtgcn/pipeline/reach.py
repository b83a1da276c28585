"""Is there a Dask scheduler at an address? Asked once, within one deadline, before anything is given to Dask.

Dask's own client tries again and again, waits for what never answers, and goes on writing to the terminal after it
has given up.
"""

import asyncio
import logging
import math
import os
import threading
from typing import Any
from urllib.parse import urlsplit

from distributed import rpc
from distributed.security import Security

from mtgcn.errors import MtgcnError, short

SECONDS = "MTGCN_CONNECT_SECONDS"
USUAL = 10.0


def connect_seconds() -> float:
    """Return how long a scheduler may take to answer: the setting ``MTGCN_CONNECT_SECONDS``, or ten seconds."""
    given = os.environ.get(SECONDS) or str(USUAL)
    try:
        seconds = float(given)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < 1e6:
        raise MtgcnError(f"{SECONDS} is '{short(given)}', it should be a number of seconds such as 10.")
    return seconds


def scheduler_problem(address: str, seconds: float) -> str:
    """Say why nobody at ``address`` can be used as a scheduler, "" when there is one."""
    if problem := _address_problem(address):
        return problem
    said: list[str] = []
    # A thread of its own, left behind when time is up: what a stranger does at the other end can hold up its end, too.
    asking = threading.Thread(target=lambda: said.append(asyncio.run(_answer(address, seconds))), daemon=True)
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    asking.start()
    asking.join(seconds)
    if asking.is_alive():  # the logger stays silent: whatever is still said concerns nobody
        return f"no answer within {seconds:g} s"
    logger.setLevel(level)
    return said[0] if said else "it does not speak Dask's protocol"


def _address_problem(address: str) -> str:
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        right = parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    except ValueError:
        right = False
    return "" if right else "an address looks like tcp://host:8786, or tls://host:8786"


async def _answer(address: str, seconds: float) -> str:
    try:
        identity = await asyncio.wait_for(_identity(address, seconds), seconds)
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except Exception as error:  # the other end is anything at all, and certificates can be wrong in many ways
        return _reason(error)
    return "" if identity.get("type") == "Scheduler" else f"it is a {short(identity.get('type'))}"


def _reason(error: BaseException) -> str:
    """Say what went wrong first of all, without what Dask has wrapped around it."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, MemoryError):  # its first bytes, read as a length
        return "it does not speak Dask's protocol"
    return short(getattr(error, "strerror", None) or error, 200)


async def _identity(address: str, seconds: float) -> Any:
    arguments = Security().get_connection_args("client")  # certificates as Dask's configuration names them
    async with rpc(address, timeout=seconds, connection_args=arguments) as asked:
        return await asked.identity()
