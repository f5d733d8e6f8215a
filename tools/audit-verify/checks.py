"""The checks that need no key."""
import re

from export_json import at, canonical, digest, digest_of, items, text_at, want
from recorded_history import attributes
from redaction import redacted, units
from signatures import statement_of

DECIDING = ("observeCluster", "executeStep", "soak")
WRITING = ("takeFence", "executeStep", "closeRun")
STARTED = "workflowExecutionStartedEventAttributes"
NO_HASH = "sha256:" + "0" * 64
AUTHORITY = set("actor at cluster detail principal role runId statement verb verdict workflowId".split())
INTENT = set("actor after at before cluster epoch id object planDigest proof reason runId step verb workflowId".split())


def check_executions(content):
    before, announced = "", None
    for execution in content["executions"]:
        history = at(execution, "history")
        want(digest_of(history) == at(execution, "historyDigest"), "a history does not match its digest")
        built = [
            found
            for event in items(at(history, "events"))
            for version in ("deploymentVersion", "workerVersion")
            if (found := text_at(event, "workflowTaskCompletedEventAttributes", version, "buildId"))
        ]
        want(text_at(execution, "buildId") == (built[-1] if built else ""), "its history names another build")
        starts = [isinstance(event, dict) and STARTED in event for event in items(at(history, "events"))]
        want(starts[:1] == [True] and True not in starts[1:], "its first event alone does not say how it was started")
        started = attributes(history, STARTED)
        want(text_at(started, "firstExecutionRunId") == content["runId"], "it is of another run")
        want(text_at(started, "continuedExecutionRunId") == before, "it does not follow the one before")
        want(announced in (None, at(execution, "runId")), "it is not the one that was announced")
        before = at(execution, "runId")
        announced = text_at(attributes(history, "workflowExecutionContinuedAsNewEventAttributes"), "newExecutionRunId")
    want(announced == "", "the last execution continued as another one")


def is_epoch(value):
    return type(value) is int and 0 <= value < 2**53


def is_entry(entry):
    def texts(value, names):
        return isinstance(value, dict) and set(value) == names and all(isinstance(value[name], str) for name in names - {"epoch"})

    kind = at(entry, "kind")
    if kind == "authority":
        names = AUTHORITY | {name for name in ("policy",) if at(entry, "authority", name) is not None}
        return set(entry) == {"kind", "authority"} and texts(entry["authority"], names)
    if kind == "intent":
        names = INTENT | {name for name in ("due", "diff") if at(entry, "intent", name) is not None}
        return set(entry) == {"kind", "intent"} and texts(entry["intent"], names) and is_epoch(entry["intent"]["epoch"])
    outcome = {"kind", "intentId", "outcome"}
    return kind == "outcome" and texts({**entry, "outcome": ""}, outcome) and texts(entry["outcome"], {"at", "detail", "kind"})


def is_record_signature(record):
    signature = record.get("signature", {"keyid": NO_HASH, "sig": "A" * 86 + "=="})
    forms = {"keyid": r"sha256:[0-9a-f]{64}", "sig": r"[A-Za-z0-9+/]{86}=="}
    return isinstance(signature, dict) and set(signature) == set(forms) and all(
        isinstance(signature[name], str) and re.fullmatch(form, signature[name]) for name, form in forms.items()
    )


def check_chain(content, outcome):
    head, intents, outcomes, runs = NO_HASH, set(), set(), set()
    for number, record in enumerate(content["records"]):
        where = f"record {number}"
        names = {"sequence", "previous", "entry"} | set(record) & {"signature"}
        want(set(record) == names | {"hash"} and is_entry(record["entry"]) and is_record_signature(record), f"{where} is none")
        want(record["sequence"] == number and record["previous"] == head, f"{where} does not follow the one before")
        head = record["hash"]
        entry = record["entry"]
        want(digest_of({name: record[name] for name in names}) == head, f"{where} was changed")
        if entry["kind"] == "outcome":
            want(entry["intentId"] in intents and entry["intentId"] not in outcomes, f"{where} is an outcome of no open intent")
            outcomes.add(entry["intentId"])
            continue
        said = entry[entry["kind"]]
        runs.add((said["workflowId"], said["runId"]))
        want(said.get("id") not in intents and len(runs) == 1, f"{where} is of another run, or was there before")
        intents |= {said["id"]} if "id" in said else set()
    want(content["head"] == head, "its head is another one")
    end = (at(outcome, "evidence", "records"), at(outcome, "evidence", "head"))
    if type(end[0]) is not int or not isinstance(end[1], str):
        return None if outcome is not None and not intents else "the run has not reported its end"
    want(end == (len(content["records"]), head), "it does not end where the run says")


def check_steps(trace):
    newest, highest = None, -float("inf")
    for moment, activity in trace:
        if moment == "asked" and activity.name == "executeStep":
            planned, revision = at(activity.input(), "planned"), at(activity.input(), "decide", "revision")
            nexts = [at(newest, "next", "planned")] if at(newest, "next", "kind") == "step" else []
            named = [each for each in [*nexts, at(newest, "proof"), at(newest, "probe")] if each is not None]
            want(at(newest, "revision") == revision, "it was decided under other judgements")
            want(canonical(planned) in map(canonical, named), f"{text_at(planned, 'step', 'name')} is not the step that was decided")
        elif moment == "done" and activity.name in DECIDING:
            decision = at(activity.output(), "decision")
            want(isinstance(decision, dict), "an observation without a decision")
            revision = at(decision, "revision")
            is_overtaken = isinstance(revision, (int, float)) and revision < highest
            highest = revision if isinstance(revision, (int, float)) and not is_overtaken else highest
            newest = newest if is_overtaken else decision
    return newest


def check_heads(trace, records, is_ended):
    last, is_closed, reported = 0, False, {(0, NO_HASH)}
    for moment, activity in trace:
        if moment == "asked" and activity.name in WRITING:
            knew = at(activity.input(), "evidence")
            want(knew is None or (at(knew, "records"), at(knew, "hash")) in reported, "it knew of evidence that nothing had reported")
        if moment == "asked" or activity.name not in ("takeFence", "closeRun", *DECIDING):
            continue
        report = activity.output()
        count, known = at(report, "evidence", "records"), at(report, "evidence", "hash")
        if activity.name == "closeRun":
            count, known = at(report, "evidenceRecords"), at(report, "evidenceHead")
            want(count == len(records), "the run was closed with other evidence")
            is_closed = True
        elif at(report, "evidence") is None:
            continue
        want(type(count) is int and last <= count <= len(records), "the evidence fell")
        want(count == 0 or records[count - 1]["hash"] == known, f"record {count} is not what was reported")
        last = count
        reported.add((count, known))
    want(is_closed or not is_ended, "no worker closed it")


def check_intents(content, trace):
    asked, reported = {}, {}
    for moment, activity in trace:
        if moment != "asked" or activity.name not in WRITING:
            continue
        given = activity.input()
        same = (at(given, "workflowId"), at(given, "cluster", "name"))
        want(same == (content["workflowId"], content["cluster"]), "an activity of another run or cluster")
        step = at(given, "planned", "step", "name") if activity.name == "executeStep" else activity.name
        epoch = None if activity.name == "takeFence" else at(given, "epoch")
        # Redacted once, and looked up by each intent: an export may have thousands of both.
        key = (step, at(given, "runId"), at(given, "planDigest"), redacted(given["actor"]), redacted(given["reason"]))
        asked.setdefault(key, set()).add(epoch)
        if activity.name == "executeStep" and activity.ended == "well":
            count = at(activity.output(), "summary", "mutations")
            reported[(step, epoch)] = reported.get((step, epoch), 0) + (count if type(count) is int else 0)
    entries = [record["entry"] for record in content["records"]]
    took = {each["intentId"] for each in entries if each["kind"] == "outcome" and each["outcome"]["kind"] in ("applied", "foundApplied")}
    for intent in (each["intent"] for each in entries if each["kind"] == "intent"):
        key = (intent["step"], intent["runId"], intent["planDigest"], units(intent["actor"]), units(intent["reason"]))
        is_own = (intent["workflowId"], intent["cluster"]) == (content["workflowId"], content["cluster"])
        want(is_own and asked.get(key, set()) & {None, intent["epoch"]}, f"the history asks for no such {intent['step']}")
        if intent["id"] in took and (intent["step"], intent["epoch"]) in reported:
            reported[(intent["step"], intent["epoch"])] -= 1
    want(all(count <= 0 for count in reported.values()), "a step reported more changes than are on record")


def check_authority(entries, steps):
    statements = {statement_of(step) for step in steps}
    accepted = [each["authority"] for each in entries if each["kind"] == "authority" and each["authority"]["verdict"] == "accepted"]
    want(statements - {""} <= {each["statement"] for each in accepted}, "what the run rests on was not accepted")
    want(len(statements) < 2 or "" not in statements, "some of its steps rest on nothing")
    kinds = [entry["kind"] for entry in entries]
    starts = [at for at, each in enumerate(entries) if each["kind"] == "authority" and (each["authority"]["verdict"], each["authority"]["verb"]) == ("accepted", "apply")]
    want("intent" not in kinds or not starts or starts[0] < kinds.index("intent"), "it was accepted too late")
    return accepted


def check_lists(lists, done):
    digests = [text_at(a.output(), "observation", "inventory", "objectsDigest") for a in done if a.name in DECIDING]
    named = [each for each in digests if re.fullmatch("sha256:[0-9a-f]{64}", each)]
    known = set(named)
    for each in lists:
        want(at(each, "digest") in known and digest(each["text"]) == each["digest"], "a list is not what was observed")
    if named and (not lists or lists[0]["digest"] != named[0]):
        return "the list of the start is gone"


def check_outcome(outcome, decision, trace):
    if outcome is None:
        return "the run has not ended by itself"
    closed = [text_at(a.input(), "outcome") for moment, a in trace if moment == "asked" and a.name == "closeRun"]
    want(closed[-1:] in ([], [at(outcome, "kind")]), "it was closed as something else")
    if at(outcome, "kind") in ("done", "rolledBack"):
        want(at(decision, "next", "kind") == "done", f"the last decision was not {at(outcome, 'kind')}")
