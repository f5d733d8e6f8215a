"""Signatures of people over what they ask for, and of workers over what they report."""
import hashlib
import re
import subprocess
from pathlib import Path

from export_json import at, canonical, digest, digest_of, items, parse, text_at, unbase64, want
from recorded_history import texts_of
from tokens import SKEW, Issuer, check_time, issued_at, whole

STATEMENT = "application/vnd.ccm-migrate.statement+json"
RESULT = "application/vnd.ccm-migrate.result+json"
RECORD = "application/vnd.ccm-migrate.evidence-record+json"
DEEPEST_PROOF, MOST_APPROVERS, MOST_APPROVALS = 24, 1000, 100
LONGEST_PAYLOAD, LONGEST_SIGNATURE = 16384, 10924
PRESENT, VERIFIED = 1, 4
STATEMENT_TEXTS = set(
    "actor cluster fleet materials members nonce plan policy reason runId subject takeOver target ticket timings turnsBack verb workflowId".split()
)
VERBS = set("apply approve budget freeze open pause reject resume retry revise rollBack rollForward set skip stop unfreeze".split())
STATEMENT_WORDS = {"verb": VERBS, "target": {"", "ccm", "kcm"}, "turnsBack": {"", "byPolicy"}}
# What returns no object, which alone has a place for a signature: a closed list.
NOTHING, LISTS = ("restFence",), ("startClusters", "broadcast", "windowOpenings")
SIGNED = re.compile(r',?"signature":\{"keyid":"(sha256:[0-9a-f]{64})","sig":"([A-Za-z0-9+/]{86}==)"\}\}\Z')


class Keys:
    """Who signs with which key, and what was verified already."""

    def __init__(self, policy, folder):
        spec = at(policy, "spec")
        self.folder = Path(folder)
        quorum = at(spec, "handoverQuorum")
        self.quorum = 1 if quorum is None else quorum
        want(type(self.quorum) is int and self.quorum >= 1, "handoverQuorum is no count of people")
        self.people, self.workers, self.breakers, self.spki, self.fido, self.known, self.grants = {}, {}, set(), {}, {}, {}, {}
        self.issuers = {issuer.name: issuer for issuer in map(Issuer, items(at(spec, "issuers")))}
        self.tokens = {}
        for kind, owners in (("principals", self.people), ("workers", self.workers)):
            for owner in items(at(spec, kind)):
                for key in items(at(owner, "keys")):
                    self.add(owners, owner["name"], key)
                self.grants.setdefault(owner["name"], []).extend(items(at(owner, "grants")))
                if any("breakGlass" in items(at(grant, "roles")) for grant in items(at(owner, "grants"))):
                    self.breakers.add(owner["name"])

    def add(self, owners, owner, key):
        if owners is self.people and "oidc" in key:
            issuer, subject = (text_at(key, "oidc", name) for name in ("issuer", "subject"))
            name = digest_of({"issuer": issuer, "subject": subject})
            self.tokens[name] = (self.issuers[issuer], subject)
        else:
            name = digest(key["ed25519"])
            self.spki[name] = unbase64(key["ed25519"])
            if owners is self.people and "fido" in key:
                self.fido[name] = key["fido"]
        owners[name] = owner

    def signed(self, key, kind, body, signature):
        """Whether it is signed; of a token when that was made."""
        message = f"DSSEv1 {len(kind)} {kind} {len(body)} ".encode() + body
        asked = (key, message, signature)
        if asked not in self.known:
            self.known[asked] = self.checked(key, message, unbase64(signature))
        return self.known[asked]

    def checked(self, key, message, carried):
        if key in self.tokens:
            return issued_at(*self.tokens[key], message, carried, self.verify)
        if key in self.fido:
            message, carried = signed_by_fido(self.fido[key], message, carried)
        return self.verify(self.spki[key], message, carried)

    def verify(self, spki, message, signature, digest_name=None):
        files = {"key": spki, "message": message, "signature": signature}
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        command = "openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in message -sigfile signature"
        chosen = ["-digest", digest_name] if digest_name else []
        run = subprocess.run(command.split() + chosen, cwd=self.folder, capture_output=True, check=False)
        return run.returncode == 0


def signed_by_fido(fido, message, carried):
    """What a FIDO key signed in place of the message, and its signature, from one with flags and counter."""
    want(len(carried) == 69, "no signature of a FIDO key")
    needed = PRESENT | VERIFIED if at(fido, "pin") is True else PRESENT
    want(carried[64] & needed == needed, "its key was not touched, or did not ask for its PIN")
    parts = (text_at(fido, "application").encode(), message)
    of_application, of_message = (hashlib.sha256(part).digest() for part in parts)
    return of_application + carried[64:] + of_message, carried[:64]


def payload_of(envelope):
    """The payload of an envelope; "" for what is none."""
    signatures = items(at(envelope, "signatures"))
    is_one = at(envelope, "payloadType") == STATEMENT and len(signatures) == 1
    is_signed = is_one and all(isinstance(at(signatures[0], name), str) and signatures[0][name] for name in ("keyid", "sig"))
    return text_at(envelope, "payload") if is_signed else ""


def opened(keys, envelope):
    """The statement of an envelope, its digest, and who signed it."""
    signatures = items(at(envelope, "signatures"))
    want(at(envelope, "payloadType") == STATEMENT and len(signatures) == 1, "no envelope")
    signer = keys.people.get(text_at(signatures[0], "keyid"))
    want(signer is not None, "its key is not in the policy")
    body = unbase64(at(envelope, "payload"))
    signed = keys.signed(signatures[0]["keyid"], STATEMENT, body, signatures[0]["sig"])
    want(signed is not False, "its signature is wrong")
    text = body.decode("utf-8", "replace")
    statement = parse(text)
    want(isinstance(statement, dict) and set(statement) == STATEMENT_TEXTS | {"notAfter", "notBefore", "statement"}, "no statement")
    want(all(isinstance(statement[name], str) for name in STATEMENT_TEXTS) and statement["statement"] == 1, "no statement")
    want(all(statement[name] in words for name, words in STATEMENT_WORDS.items()), "no statement")
    want(canonical(statement) == text, "it is not canonical")
    if signed is not True:
        check_time(signed, statement)
    return statement, digest(text), signer


def is_second(verb, signer, asker, keys):
    """Whether it takes another person than the one who asked."""
    return verb in ("approve", "budget") and signer == asker and signer not in keys.breakers


def statement_of(step):
    payload = text_at(step, "authority", "start", "payload")
    return digest(unbase64(payload).decode("utf-8", "replace")) if payload else ""


def is_member(root, leaf, proof):
    index, size, path = at(proof, "index"), at(proof, "size"), items(at(proof, "path"))
    want(type(index) is int and type(size) is int and 0 <= index < size and len(path) <= DEEPEST_PROOF, "no proof")
    found, last, rest = digest("member " + canonical(leaf)), size - 1, list(path)
    while last > 0:
        if index != last or index % 2 == 1:
            want(rest, "a short proof")
            pair = (found, rest.pop(0)) if index % 2 == 0 else (rest.pop(0), found)
            found = digest(f"members {pair[0]} {pair[1]}")
        index, last = index >> 1, last >> 1
    return found == root and not rest


def check_start(step, start):
    parts = {name: digest_of(at(step, name)) for name in ("policy", "timings", "materials")}
    uid, member = at(step, "cluster", "uid"), at(step, "authority", "member")
    if member is None:
        signed = {**parts, "cluster": uid, "workflowId": step["workflowId"], "fleet": "", "verb": "apply"}
        for name, value in signed.items():
            want(start[name] == value, f"its {name} is not what was signed")
        return
    want(step["workflowId"] == f"cluster-migration/{uid}", "the run of a member is another workflow")
    want(start["fleet"] != "" and start["verb"] in ("apply", "revise"), "it is not the statement of a fleet")
    want(at(member, "materials") == parts["materials"], "its materials are not what was signed")
    leaf = {**parts, "cluster": uid, **({"wave": wave_of(member)} if "wave" in member else {})}
    want(is_member(start["members"], leaf, at(member, "proof")), "the fleet does not cover it")


def wave_of(member):
    """What its wave demands, as it is signed."""
    wave = at(member, "wave")
    counts = {name: at(wave, name) for name in ("before", "index", "revision")}
    want(all(type(count) is int and 0 <= count < 2**53 for count in counts.values()), "no wave")
    approvers = wave.get("approvers", "")
    people = [] if approvers is None else approvers
    want(isinstance(people, list) and all(isinstance(each, str) and each.strip() for each in people), "no approvers")
    approvals = at(member, "approvals")
    want(isinstance(approvals, list) and all(map(is_envelope, approvals)), "no approvals")
    want(len(people) <= MOST_APPROVERS and len(approvals) <= MOST_APPROVALS, "more people than any wave asks")
    return {**counts, "approvers": approvers}


def is_of_fleet_run(start, command):
    """Whether a command can be of the fleet of this statement, and not of an earlier one of its name."""
    is_of_run = start["verb"] == "revise" and command["runId"] == start["runId"]
    return is_of_run or whole(command["notBefore"]) >= whole(start["notBefore"]) - SKEW


def outlasted(start, said):
    """Whether an approval could still be accepted when the plan could be for the first time."""
    return whole(said["notAfter"]) >= whole(start["notBefore"]) - SKEW


def is_envelope(value):
    def is_short(text, most):
        return isinstance(text, str) and 0 < len(text) <= most

    signatures = at(value, "signatures")
    is_one = isinstance(signatures, list) and len(signatures) == 1
    is_signed = is_one and is_short(at(signatures[0], "keyid"), 256) and is_short(at(signatures[0], "sig"), LONGEST_SIGNATURE)
    return is_signed and at(value, "payloadType") == STATEMENT and is_short(at(value, "payload"), LONGEST_PAYLOAD)


def counted_approvals(keys, step, start, asker):
    """Who gave an approval of the wave of a member that goes to CCM, and its statement."""
    member = at(step, "authority", "member")
    if member is None or "wave" not in member or at(step, "decide", "target") != "ccm":
        return {}
    wave, counted = wave_of(member), {}
    approvers = None if wave["approvers"] is None else set(map(folded, wave["approvers"]))
    order = {"verb": "approve", "subject": {"kind": "before", "wave": wave["index"]}}
    order.update(planDigest=start["plan"], revision=wave["revision"])
    scopes = ({"kind": "wave", "wave": wave["index"]}, {"kind": "fleet"})
    subjects = {digest_of({"scope": scope, "order": order}) for scope in scopes}
    for envelope in items(at(member, "approvals")):
        said, name, by = opened(keys, envelope)
        to = (said["verb"], said["workflowId"], said["fleet"]) == ("approve", start["workflowId"], start["fleet"])
        is_theirs = approvers is None or folded(by) in approvers
        if to and is_of_fleet_run(start, said) and outlasted(start, said) and is_theirs and not is_second("approve", by, asker, keys) and said["subject"] in subjects and by not in counted:
            counted[by] = name
    want(len(counted) >= wave["before"], f"{len(counted)} people approved its wave, of {wave['before']}")
    return counted


def folded(name):
    return name.strip().lower()


def turns_in(commands):
    """Where commands turn a run."""
    return [number for number, (command, _, _) in enumerate(commands) if command["verb"] in ("rollBack", "rollForward")]


def turn_of(commands, asker):
    """The verb that turned a run last, and who asked for where it goes."""
    turns = turns_in(commands)
    return (commands[turns[-1]][0]["verb"], commands[turns[-1]][2]) if turns else (None, asker)


def check_commands(keys, step, start, asker, commands):
    last = max(turns_in(commands), default=-1)
    turn, asker = turn_of(commands, asker)
    for command, _, by in commands:
        want(command["fleet"] == "" or is_of_fleet_run(start, command), "a command that is older than the fleet")
        is_first = command["verb"] == "approve" and command["fleet"] == "" and turn is None
        want(not is_first or command["plan"] == at(step, "planDigest"), "an approval of another plan")
        own = (step["workflowId"], step["runId"], command["fleet"])
        fleets = (start["workflowId"], command["runId"], start["fleet"])
        to = own if command["fleet"] == "" else fleets
        want((command["workflowId"], command["runId"], command["fleet"]) == to, "a command of another run")
        want(not is_second(command["verb"], by, asker, keys), f"another person must approve what {by} asked for")
    target = {"rollBack": "kcm", "rollForward": "ccm", None: start["target"]}[turn]
    wanted = at(step, "decide", "target")
    want(wanted == target or (wanted == "kcm" and start["turnsBack"] == "byPolicy"), f"no signed command turns it to {wanted}")
    is_begun = turn is None and wanted == start["target"] and at(step, "authority", "member") is None
    want(not is_begun or start["plan"] == at(step, "planDigest"), "its plan is not what was signed")
    gates = [text_at(each, "code") + "/" + text_at(each, "gate") for each in items(at(step, "decide", "waivedGates"))]
    waived = [text_at(each, "code") for each in items(at(step, "decide", "waivers"))] + gates
    given = [("approve", each) for each in items(at(step, "decide", "approvals"))] + [("skip", each) for each in waived]
    for verb, subject in given:
        subjects = ("", subject) if (verb, subject) == ("approve", "handover") else (subject,)
        # An older command line signed the code alone, for each of its gates.
        subjects += (subject.split("/")[0] or subject,) if verb == "skip" else ()
        people = {by for c, _, by in commands[last + 1 :] if c["verb"] == verb and c["subject"] in subjects}
        wanted = keys.quorum if (verb, subject) == ("approve", "handover") else 1
        want(len(people) >= wanted, f"{len(people)} people signed {verb} of {subject}, of {wanted}")


def check_signatures(keys, steps, accepted):
    if not steps:
        return
    if all(statement_of(step) == "" for step in steps):
        return "no one signed"
    principals = {}
    for each in accepted:
        principals.setdefault(each["statement"], set()).add(each["principal"])
    for step in steps:
        want(isinstance(at(step, "authority"), dict), "nothing that is signed asks for this run")
        start, name, asker = opened(keys, at(step, "authority", "start"))
        commands = [opened(keys, each) for each in items(at(step, "authority", "commands"))]
        check_start(step, start)
        check_commands(keys, step, start, asker, commands)
        approvals = [(known, by) for by, known in counted_approvals(keys, step, start, asker).items()]
        for known, by in [(name, asker), *approvals] + [(of, signer) for _, of, signer in commands]:
            want(principals.get(known) == {by}, f"the evidence does not say that {by} signed {known}")


def check_records(keys, records):
    """From the first record that a worker signed on, each must be: older builds signed none, and a chain needs no key."""
    first = next((number for number, record in enumerate(records) if "signature" in record), len(records))
    for record in records[first:] if keys.workers else []:
        where, signature = f"record {record['sequence']}", record.get("signature")
        want(signature is not None and signature["keyid"] in keys.workers, f"{where} is not signed by a worker of the policy")
        body = canonical({name: record[name] for name in ("sequence", "previous", "entry")}).encode()
        want(keys.signed(signature["keyid"], RECORD, body, signature["sig"]), f"{where} is not what was signed")


def check_results(keys, workflow_id, done, records=()):
    check_records(keys, records)
    unsigned = 0
    for activity in done:
        returned = texts_of(activity.result)
        want(len(returned) < 2, f"{activity.name} returned more than one thing")
        carried = "".join(returned)
        if activity.name in NOTHING + LISTS:
            is_list = carried.startswith("[") and isinstance(parse(carried), list)
            want(is_list if activity.name in LISTS else carried == "", f"{activity.name} returned what it never does")
            continue
        want(carried.startswith("{"), f"{activity.name} returned no object")
        found = SIGNED.search(carried)
        if found is None or not keys.workers:
            unsigned += 1
            continue
        want(found[1] in keys.workers, f"no worker has the key {found[1]}")
        given = digest("\n".join(texts_of(at(activity.asked, "input"))))
        body = {"activity": activity.name, "activityId": activity.id, "input": given, "runId": activity.run_id}
        body.update(result=digest(carried[: found.start()] + "}"), workflowId=workflow_id)
        want(keys.signed(found[1], RESULT, canonical(body).encode(), found[2]), f"{activity.name} {activity.id} is not what was signed")
    return f"{unsigned} are not signed by a worker of the policy" if unsigned else None
