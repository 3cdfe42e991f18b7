"""Small files of our own, one for each store: what this user has seen, and what was told."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import Any

from todowright.cli.place import user_data
from todowright.private_files import create_file, make_folder, own_file

_LARGEST = 4_000_000


class SmallFile:
    """Numbers by their names, in a file that only its owner reads.

    One that is missing, cut short or not ours counts as empty: it holds nothing that cannot be told again.
    """

    def __init__(self, folder: str, *about: str) -> None:
        name = sha256("\0".join(about).encode("utf-8", "replace")).hexdigest()[:24]
        self.path = os.path.join(user_data(os.environ), folder, f"{name}.json")

    @property
    def there(self) -> bool:
        """Whether it was ever written."""
        return os.path.exists(self.path)

    def read(self) -> dict[str, float]:
        """What it holds."""
        try:
            with open(self.path, encoding="utf-8", opener=own_file) as file:
                found: Any = json.loads(file.read(_LARGEST))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {str(key): float(each) for key, each in found.items() if type(each) in (int, float)}

    def write(self, numbers: dict[str, float]) -> None:
        """Write it as a whole: it is the old one or the new one, also after a crash."""
        make_folder(os.path.dirname(self.path))
        draft = f"{self.path}.{os.getpid()}.{os.urandom(4).hex()}"
        try:
            with open(create_file(draft), "w", encoding="utf-8") as file:
                json.dump(numbers, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except BaseException:
            if os.path.exists(draft):
                os.unlink(draft)
            raise
