#!/usr/bin/env python3
"""Verifies audit exports of ccm-migrate, without ccm-migrate: written from docs/contracts/audit-export.md alone.

Needs Python 3.9 or later and `openssl` 3. Prints one line of JSON for each export. Exit codes: 0 all are accepted, 3 one failed, 8 one is unproven.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import checks
import fleet_checks
from anchor_log import Log, check_anchor
from export_json import Broken, at, digest_of, items, parse, want, written
from recorded_history import check_sizes, outcome_of, trace_of
from roles import check_fleet_roles, check_roles
from signatures import Keys, check_results, check_signatures
from signed_words import check_memo, check_words


def verify(raw, keys, anchor):
    """Each check with its result: "pass", or why it failed or is unproven."""
    found = {}

    def check(name, judge, after=None):
        if after is not None and found[after]["result"] != "pass":
            return None
        try:
            why = judge()
            found[name] = {"result": "pass"} if not isinstance(why, str) else {"result": "unproven", "why": why}
            return why
        except (Broken, LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
            found[name] = {"result": "fail", "why": str(error) or type(error).__name__}

    def whole_format():
        content = parse(raw.decode("utf-8"))
        want(at(content, "kind") in ("AuditExport", "FleetAuditExport") and items(at(content, "executions")), "no export")
        check_sizes(content)
        return [content]

    content = (check("format", whole_format) or [None])[0]
    if content is None:
        return found
    check("bytes", lambda: want(written(content).encode() == raw, "it is not as written"))
    check("digest", lambda: want(digest_of(without_digest(content)) == content["digest"], "it is another one"))
    check("executions", lambda: checks.check_executions(content))
    outcome = check("end", lambda: [outcome_of(content["executions"][-1])])
    trace = check("activities", lambda: list(trace_of(content["executions"])))
    if outcome is None or trace is None:
        return found
    [outcome] = outcome
    if content["kind"] == "FleetAuditExport":
        verify_fleet(check, content, (outcome, trace), keys)
    else:
        verify_run(check, content, (outcome, trace), keys)
    if anchor is not None:
        check("anchor", lambda: anchor(content))
    return found


def verify_run(check, content, told, keys):
    outcome, trace = told
    done = [activity for moment, activity in trace if moment == "done"]
    steps = check("inputs", lambda: [a.input() for moment, a in trace if moment == "asked" and a.name == "executeStep"]) or []
    is_ended = isinstance(at(outcome, "evidence", "head"), str)
    check("evidence chain", lambda: checks.check_chain(content, outcome))
    decision = check("steps", lambda: checks.check_steps(trace))
    check("heads", lambda: checks.check_heads(trace, content["records"], is_ended))
    check("intents", lambda: checks.check_intents(content, trace))
    check("outcome", lambda: checks.check_outcome(outcome, decision, trace))
    accepted = check("authority", lambda: checks.check_authority([record["entry"] for record in content["records"]], steps))
    check("signatures", lambda: check_signatures(keys, steps, accepted or []) or (check_words(content, steps) if steps else None))
    if steps:
        check("roles", lambda: check_roles(keys, steps), after="signatures")
    check("results", lambda: check_results(keys, content["workflowId"], done, content["records"]))
    check("object lists", lambda: checks.check_lists(content.get("objectLists", []), done))


def verify_fleet(check, content, told, keys):
    outcome, trace = told
    executions = content["executions"]
    records = check("records", lambda: list(fleet_checks.records_of(executions)))
    if records is None:
        return
    check("plan", lambda: fleet_checks.check_plan(records, content["fleet"]))
    check("signatures", lambda: fleet_checks.check_signatures(keys, records, content) or fleet_said(executions[0]))
    check("roles", lambda: check_fleet_roles(keys, records, content["fleet"]), after="signatures")
    check("results", lambda: check_results(keys, content["workflowId"], [activity for moment, activity in trace if moment == "done"]))
    check("approvals", lambda: fleet_checks.check_approvals(records, content["runId"]))
    check("outcome", lambda: fleet_checks.check_outcome(outcome, records, executions))


def fleet_said(execution):
    """What the first execution was started with is in its memo; no reason why anything would be unproven."""
    check_memo(execution)


def without_digest(content):
    return {name: each for name, each in content.items() if name != "digest"}


def anchor_of(given, keys, policy):
    """How an export is held against the log that was given; None where there is none to be held against."""
    if given.log is None:
        return (lambda content: "the policy names a log: give --log") if items(at(policy, "spec", "logs")) else None
    try:
        log = Log(given.log, given.checkpoint, keys, policy)
    except (Broken, KeyError, TypeError, UnicodeError) as error:
        why = str(error) or type(error).__name__
        return lambda content: want(False, why)
    return lambda content: check_anchor(content, log)


def verdicts_of(file, keys, anchor):
    """Whatever an export does to this program, it is refused, and the others are judged."""
    try:
        return verify(file.read_bytes(), keys, anchor)
    except Exception as error:
        return {"format": {"result": "fail", "why": f"it cannot be read: {type(error).__name__}"}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trust", required=True, help="AccessPolicy with the keys of people and workers, as JSON")
    parser.add_argument("--allow", action="append", default=[], metavar="CHECK", help="a check that may stay unproven; may be repeated")
    parser.add_argument("--log", metavar="FOLDER", help="log of `audit anchor`, as its keeper has it")
    parser.add_argument("--checkpoint", action="append", default=[], metavar="FILE", help="an earlier checkpoint of it; may be repeated")
    parser.add_argument("paths", nargs="+", help="exports, or folders of them")
    given = parser.parse_args()
    files = [file for path in map(Path, given.paths) for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            policy = parse(Path(given.trust).read_text())
            keys = Keys(policy, folder)
        except (OSError, Broken, KeyError, TypeError) as error:
            parser.error(f"{given.trust} is no AccessPolicy in JSON: {error}")
        anchor = anchor_of(given, keys, policy)
        for file in files:
            verdicts = verdicts_of(file, keys, anchor)
            results = {each["result"] for name, each in verdicts.items() if name not in given.allow or each["result"] != "unproven"}
            status = 3 if "fail" in results else 8 if "unproven" in results else 0
            worst = status if status == 3 or worst == 0 else worst
            print(json.dumps({"file": str(file), "accepted": status == 0, "checks": verdicts}), flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main())
