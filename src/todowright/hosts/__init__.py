"""Files for coding agents, made from one description, and how they get to their places."""

from __future__ import annotations


def folders() -> dict[str, str]:
    """Every file for every host, one folder each, as the repository's `hosts/` holds them."""
    from todowright.hosts.config import config, http_config
    from todowright.hosts.description import COMMAND, HOSTS
    from todowright.hosts.opencode import opencode_plugin
    from todowright.hosts.pieces import codex_block
    from todowright.hosts.plugin import GEMINI_POLICY, gemini_files, plugin_files

    found = {f"plugin/{path}": text for path, text in plugin_files().items()}
    found |= {f"gemini/extension/{path}": text for path, text in gemini_files().items()}
    found["gemini/policies/todowright.toml"] = GEMINI_POLICY
    found["opencode/plugins/todowright.js"] = opencode_plugin()
    found["codex/with-hooks.toml"] = codex_block(COMMAND) + "\n"
    for name, host in HOSTS.items():
        file = host.shared.rpartition("/")[2].lstrip(".")
        found[f"{name}/{file}"] = config(name) + "\n"
        found[f"{name}/http/{file}"] = http_config(name, "http://127.0.0.1:8700/mcp") + "\n"
    return found
