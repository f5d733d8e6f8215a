"""What a run says for people: it is what they signed."""
from export_json import at, canonical, items, parse, text_at, unbase64, want
from recorded_history import attributes, first_of

WORDS = ("actor", "reason", "ticket", "target")


def statement_in(envelope):
    return parse(unbase64(text_at(envelope, "payload")).decode("utf-8", "replace"))


def check_memo(execution):
    """The memo says what the run was started with, which is returned."""
    started = attributes(at(execution, "history"), "workflowExecutionStartedEventAttributes")
    given = first_of(at(started, "input"))
    for name in WORDS:
        field = at(started, "memo", "fields", name)
        said = "" if field is None else first_of({"payloads": [field]})
        want(said == text_at(given, name), f"its memo has another {name}")
    return given


def is_reason(given, signed):
    """A worker may have noted something behind it."""
    return given == signed or (given.startswith(signed + " [") and given.endswith("]"))


def check_words(content, steps):
    given, start = check_memo(content["executions"][0]), at(steps[0], "authority", "start")
    want(canonical(at(given, "authority", "start")) == canonical(start), "it was started with another request")
    signed = statement_in(start)
    for name in WORDS:
        want(at(steps[0], "authority", "member") is not None or text_at(given, name) == signed[name], f"it was started with another {name}")
    for step in steps:
        start = statement_in(at(step, "authority", "start"))
        commands = [statement_in(each) for each in items(at(step, "authority", "commands"))]
        if at(step, "authority", "member") is not None or any(command["fleet"] for command in commands):
            continue
        by = [start, *(command for command in commands if command["verb"] in ("rollBack", "rollForward"))][-1]
        actor, reason = text_at(step, "actor"), text_at(step, "reason")
        is_by_policy = (actor, start["turnsBack"], at(step, "decide", "target")) == ("policy onBreach", "byPolicy", "kcm")
        want(is_by_policy or (actor == by["actor"] and is_reason(reason, by["reason"])), f"a step is asked for in other words than {by['actor']} signed")
