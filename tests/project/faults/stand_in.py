"""What stands for the internet: a server on this machine with files of the published names, and no way beyond it."""

import random
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from project.faults.bounded import ended, started

from mtgcn.data import datasets, downloads, planetoid, sources, toy

BYTES = (1_000, 150_000)
BLOCK, PAUSE = 1 << 14, 0.002  # so that a download takes a while, and a kill can come within a file


def files(seed: int = 0) -> dict[str, bytes]:
    """Return a made-up raw file for each that is published."""
    rng = random.Random(seed)
    names = [file for name in planetoid.NAMES for file in planetoid.file_sets(name)[0]]
    return {name: rng.randbytes(rng.randint(*BYTES)) for name in names}


def cut_off() -> None:
    """Let this process reach no source of data but the folder of the user and the cache."""
    for source in [name for name in sources.SOURCES if name not in ("MTGCN_DATA", "cache")]:
        del sources.SOURCES[source]


class Internet:
    """The server, in a process of its own; ``asked`` is what it has been asked for."""

    def __init__(self, folder: Path) -> None:
        self.files, self._log = files(), folder / "asked"
        server = HTTPServer(("127.0.0.1", 0), _handler(self.files, self._log))
        self.address = f"http://127.0.0.1:{server.server_port}"
        self._log.touch()
        self._process = started(server.serve_forever, folder / "server.log")
        server.server_close()

    def asked(self) -> list[str]:
        """Return the names of the files that somebody asked for, in order."""
        return self._log.read_text().split()

    def stand_in(self) -> None:
        """Let this process find the made-up files in place of the published ones, and nothing else."""
        import hashlib

        digests = {name: hashlib.sha256(content).hexdigest() for name, content in self.files.items()}
        graph = toy.generate()
        downloads.REPOSITORY = self.address
        planetoid.expected_digests = lambda: digests
        planetoid.assemble = lambda name, content: graph
        for name in planetoid.NAMES:
            datasets.DIGESTS[name] = datasets.digest(graph)
        del sources.SOURCES[f"{downloads.WHEEL} wheel"]

    def end(self) -> None:
        """End the server."""
        ended(self._process)


def _handler(content: dict[str, bytes], log: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rsplit("/", 1)[1]
            with log.open("a") as file:
                print(name, file=file)
            self.send_response(200)
            self.send_header("Content-Length", str(len(content[name])))
            self.end_headers()
            for start in range(0, len(content[name]), BLOCK):
                self.wfile.write(content[name][start : start + BLOCK])
                time.sleep(PAUSE)

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler
