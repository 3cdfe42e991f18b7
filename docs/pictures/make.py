"""Draws the pictures of the READMEs and the docs from real runs: `python -m docs.pictures.make`.

What agents do in them is scripted, nothing else is.
"""

from __future__ import annotations

from docs.pictures import terminal
from docs.pictures.board import board
from docs.pictures.recording import recording
from docs.pictures.rooms import rooms
from docs.pictures.widget import widget

if __name__ == "__main__":
    rooms("rooms.svg")
    terminal.watch("watch.svg", terminal.ENGLISH)
    terminal.watch("watch.zh.svg", terminal.CHINESE)
    terminal.home("home.svg")
    terminal.timeline("timeline.svg")
    terminal.demo("demo.svg")
    recording("live.svg")
    widget("widget.png")
    board()
