"""The manifest: what the five design documents ask, by number, with the rulings where they are silent.

A test names the ids it proves with `@requirement("003-4")`. `test_manifest.py` fails when an id has
no test and is not marked `later`, when a test names an id that is not here, and when an id marked
`later` has a test already.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest


@dataclass(frozen=True, slots=True)
class Requirement:
    sentence: str
    ruling: str = ""
    later: str = ""
    """What has to exist first, while it does not."""


REQUIREMENTS: dict[str, Requirement] = {
    # All dialects
    "A1": Requirement("A refused call leaves the plan as it was, notifies nobody, writes no file."),
    "A2": Requirement(
        "Nothing that a model can send raises out of the tool; the answer is an error reply in the "
        "dialect's own words."
    ),
    "A3": Requirement(
        "The stored plan is immutable: mutating arguments, a returned plan or an event's payload "
        "changes nothing."
    ),
    "A4": Requirement(
        "Every accepted call makes a new revision and notifies, also when the list is equal.",
        ruling="For the five documents' dialects; another dialect's policy may answer a no-op "
        "without storing it.",
    ),
    "A5": Requirement(
        "A listener that raises stops nothing; a listener may unsubscribe or call the tool while it "
        "is notified; concurrent calls from threads never lose an accepted update."
    ),
    "A6": Requirement("Lengths count code points; terminal widths count display cells."),
    "A7": Requirement(
        "The published JSON schema and the checker agree, but for a dialect's listed leniencies.",
        ruling="Where a document prescribes the schema word for word, the complete schema (with "
        "the document's limits) agrees, and the published one accepts whatever it accepts.",
    ),
    "A8": Requirement(
        "Control characters and escape sequences never reach a terminal, a log or a page raw.",
        ruling="What a model reads back is the text as it was sent, joined emoji and flags included; "
        "lines and tabs are folded, lone control characters replaced, and tags neutralised where it "
        "stands inside a block of ours.",
    ),
    "A9": Requirement(
        "Two sessions, and two agents of one session, never see each other's plan unless they ask "
        "for it by name."
    ),
    "A10": Requirement(
        "Several plan calls in one turn run in call order; each gets its own reply, the last stands "
        "and its reply says so.",
        ruling="Where the last is refused, the last accepted one stands and says so, also in the agent.",
    ),
    "A11": Requirement(
        "Ceilings of the house where a dialect names none: 10,000 items, 100,000 characters a text."
    ),
    "A12": Requirement(
        "In the five documents' dialects a sound list overwrites the old one, whoever changed it "
        "meanwhile; being told of others' changes is an option there. Everywhere else it is on.",
        ruling="Everywhere else: with lean, over MCP and in our agent.",
    ),
    "A13": Requirement(
        "A bad value is quoted as Python's str shows it, harmless, cut at 40 characters; never the "
        "name of its type."
    ),
    "A14": Requirement(
        "No reminder asks for what its dialect cannot say, or for a tool that is not offered now."
    ),
    # smart
    "000-1": Requirement(
        "One required parameter todos; content, status, activeForm all required and non-blank; "
        "unknown keys are refused, id too."
    ),
    "000-2": Requirement(
        "At most one in_progress, zero is fine. The in_progress count is checked first, then the "
        "items in order, content before activeForm."
    ),
    "000-3": Requirement(
        "A host can read: not read-only, so it runs serially; no permission; absent in plan mode."
    ),
    "000-4": Requirement(
        "Smart update for programs: all ids known, only the given fields change; else replace.",
        ruling="Fields merge; the merged list is checked before it is kept; the event carries the "
        "complete list; of two entries with one id the later wins; an empty list clears.",
    ),
    "000-5": Requirement("The tool path never does a subset update, whatever the model sends."),
    "000-6": Requirement(
        "The main agent emits todos:update with the whole list after every accepted call; "
        "sub-agents do not, have their own list, and lose it when they end."
    ),
    "000-7": Requirement("The three example calls succeed in order, three events of three items."),
    "000-8": Requirement(
        "The answer to the model is one sentence.",
        ruling="The document is silent: the list was updated, go on with it.",
    ),
    # shell
    "001-1": Requirement(
        "The router types a command whose first word is exactly TodoWrite as an agent shell "
        "command and hands all others to a real shell."
    ),
    "001-2": Requirement(
        "The argument may be quoted in any way of a shell, spread over lines, a here-document, or "
        "hold apostrophes."
    ),
    "001-3": Requirement(
        "Result stdout, stderr, exitCode; success gives the three counts in order, zeros too."
    ),
    "001-4": Requirement("No argument: Missing JSON parameter, and the usage."),
    "001-5": Requirement("Not JSON: Invalid JSON format, and the usage."),
    "001-6": Requirement(
        "Wrong content: Validation failed, then every fault on its line with a bracket path.",
        ruling="The words for the faults that the document does not show.",
    ),
    "001-7": Requirement(
        "content and activeForm required, non-blank, at most 200 characters; three statuses; at "
        "most 50 items; an empty array clears."
    ),
    "001-8": Requirement(
        "TODO_MAX_ITEMS and TODO_MAX_CONTENT_LENGTH are read at each call.",
        ruling="Also where they are set inside `todowright shell`, or in front of the word. A value that is "
        "not a positive integer, of any length, is refused at once, naming the variable.",
    ),
    "001-9": Requirement(
        "-h and --help, in argument position, print the command's document, word for word."
    ),
    "001-10": Requirement(
        "The store is replaced whole and has update, get, clear and on-change listeners that "
        "return their unsubscribe; memory only.",
        ruling="By these names in `todowright.documents.shell`; elsewhere `plan.todos` and "
        "`plan.updated_at`. Memory only: a library, `todowright shell` and `memory:`; the installed word keeps its plan in the store.",
    ),
    "001-11": Requirement("The terminal shows the box, redrawn on every change."),
    "001-12": Requirement("The eleven test cases of the document exist as tests."),
    "001-13": Requirement(
        "At most one in_progress.", ruling='"Exactly one" is guidance for the model.'
    ),
    # envelope
    "002-1": Requirement(
        "The function schema word for word; root keys beyond it are tolerated, item keys beyond "
        "content, status, id refused; id is ignored."
    ),
    "002-2": Requirement(
        "summary required and non-blank; at most 10 items, 60 characters after trimming, one "
        "in_progress; trimmed texts in data, the untouched input in context.params_input."
    ),
    "002-3": Requirement("The tool makes ids t1, t2, … counted through the session, never reused."),
    "002-4": Requirement("The answer is JSON with exactly the envelope's keys."),
    "002-5": Requirement(
        "INVALID_PARAM names field, index and limit and says what to do; INTERNAL_ERROR for the "
        "unexpected, which never escapes."
    ),
    "002-6": Requirement("The recap: one line, under 300 characters, cancelled shortened first."),
    "002-7": Requirement(
        "text is the block of section 7.", ruling="It wins over the one-liner of section 5."
    ),
    "002-8": Requirement(
        "A finished list is logged: one file a session, appended to, a block whole or absent; the "
        "count of its titles goes on when the file is deleted.",
        ruling="Every accepted call that leaves a finished list writes a block; an edit of a plan that "
        "was finished already does not, unless it brings in what is closed.",
    ),
    "002-9": Requirement("The prompt fragment of section 9, word for word."),
    "002-10": Requirement("The recap goes to the end of the context."),
    # checklist
    "003-1": Requirement("The tool definition of section 2, word for word."),
    "003-2": Requirement(
        "content and activeForm become text and are trimmed, status becomes lower-case text, a "
        "missing one is pending; extra keys are dropped.",
        ruling="JSON null counts as missing.",
    ),
    "003-3": Requirement("The checks in their order, and their words."),
    "003-4": Requirement("The rendered list and its count.", ruling="No `...` is added."),
    "003-5": Requirement("The initial reminder, once, in the first user message."),
    "003-6": Requirement(
        "The reminder from the 11th round without an update on; the count survives a resumed session.",
        ruling="Rounds in plan mode, where the tool is not offered, do not count.",
    ),
    "003-7": Requirement("The loop."),
    "003-8": Requirement("The agent's tools stay in its work folder."),
    "003-9": Requirement("The workflow of section 6 gives its three renderings."),
    "003-10": Requirement(
        "The plan survives compaction. (Tasks in place of TodoWrite are not built yet.)"
    ),
    "003-11": Requirement(
        "Beside its two reminders the agent adds nothing to the context of checklist unless asked; "
        "in plan mode neither of them.",
        ruling="What a person did to the plan is told: it is the person who adds it.",
    ),
    # twostate
    "004-1": Requirement(
        "Statuses pending and completed in this order, described as 任务状态; missing is pending; "
        "no case folding."
    ),
    "004-2": Requirement("A bad status and any other fault: the prefix, never an exception."),
    "004-3": Requirement("The Chinese list.", ruling="The document is silent on the words."),
    "004-4": Requirement("Its prompt never mentions in_progress; a plan lives for one run."),
    "004-5": Requirement("The run yields events in order."),
}


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test as the proof of these requirements."""
    for name in ids:
        if name not in REQUIREMENTS:
            raise LookupError(f"no requirement is called {name}: see tests/requirements.py")
    return pytest.mark.requirement(*ids)
