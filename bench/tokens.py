"""tmp"""

import bpe_openai

_E = bpe_openai.get_encoding("cl100k_base")


def tokens(text: str) -> int:
    return len(_E.encode(text))
