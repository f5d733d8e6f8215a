"""A log outside, and a run held against it: written from docs/contracts/anchor-log.md."""
import base64
import calendar
import hashlib
import re
import subprocess
import time
from bisect import bisect_right
from pathlib import Path

from export_json import Broken, at, canonical, digest_of, items, parse, text_at, unbase64, utf16, want

NOTE = re.compile(r"(([\w.@/-]{1,128})\n(0|[1-9][0-9]{0,14})\n([A-Za-z0-9+/]{43}=)\n)\n((?:— \S{1,256} [A-Za-z0-9+/]{4,4096}={0,2}\n){1,16})", re.ASCII)
TEXTS = "at cluster workflowId runId firstRunId startedAt ended history".split()
NAMES = "activityId scheduledEventId signalName firstExecutionRunId continuedExecutionRunId newExecutionRunId".split()

TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z", re.ASCII)
STAMPED = re.compile(r"^Hash Algorithm: sha256\n.*^Time stamp: (\w{3} [ \d]\d \d\d:\d\d:\d\d)(?:\.\d+)? (\d{4}) GMT$", re.MULTILINE | re.DOTALL | re.ASCII)
LARGEST_STAMP = 65536
SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}

ONE_MEMBER = {"activityType": "name", "workflowType": "name", "failure": "message", "deploymentVersion": "buildId", "workerVersion": "buildId"}


class Checkpoint:
    def __init__(self, path):
        try:
            read = NOTE.fullmatch(Path(path).read_bytes().decode("utf-8"))
        except (OSError, UnicodeError) as error:
            raise Broken(f"{path} cannot be read") from error
        want(read is not None, f"{path} is no checkpoint")
        self.path, self.body, self.origin, self.size = path, read[1], read[2], int(read[3])
        self.root = unbase64(read[4])
        self.signatures = [line.split(" ")[1:] for line in read[5].splitlines()]

    def is_signed(self, keys, trusted, old):
        for key in items(at(trusted, "keys")):
            spki = unbase64(key["ed25519"])
            own = hashlib.sha256(f"{self.origin}\n".encode() + b"\1" + spki[-32:]).digest()[:4]
            for name, value in self.signatures:
                signature = unbase64(value)
                if name == self.origin and signature[:4] == own and (old or not at(key, "revoked")):
                    if keys.verify(spki, self.body.encode(), signature[4:]):
                        return True
        return False


def part(folder, index, width):
    digits = str(index)
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = Path(folder, "tile", "entries", *["x" + each for each in groups[:-1]], groups[-1])
    cut = path.with_name(f"{path.name}.p") / str(width)
    content = (cut if width < 256 and cut.exists() else path).read_bytes()
    for _ in range(width):
        want(len(content) >= 2 + int.from_bytes(content[:2], "big"), "a part of the log is cut off")
        length = 2 + int.from_bytes(content[:2], "big")
        yield content[2:length]
        content = content[length:]


def root_of(hashes):
    if len(hashes) < 2:
        return hashes[0] if hashes else hashlib.sha256(b"").digest()
    half = 1 << (len(hashes) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + root_of(hashes[:half]) + root_of(hashes[half:])).digest()


class Log:
    """What a log proves under a policy. Raises Broken where it proves nothing."""

    def __init__(self, folder, kept, keys, policy):
        own = Checkpoint(Path(folder) / "checkpoint")
        trusted = next((each for each in items(at(policy, "spec", "logs")) if each["origin"] == own.origin), None)
        want(trusted is not None and own.is_signed(keys, trusted, False), "no key of the policy signed this log")
        try:
            raw = [each for at_ in range(0, own.size, 256) for each in part(folder, at_ // 256, min(256, own.size - at_))]
        except OSError as error:
            raise Broken("a part of the log is missing") from error
        leaves = [hashlib.sha256(b"\0" + each).digest() for each in raw]
        want(root_of(leaves) == own.root, "the entries are not those of the checkpoint")
        for old in map(Checkpoint, kept):
            want(old.origin == own.origin and old.is_signed(keys, trusted, True), f"{old.path} is of another log")
            want(old.size <= own.size and root_of(leaves[: old.size]) == old.root, f"the log was rewritten since {old.path}")
        self.stamps = Stamps(folder, own, leaves, at(trusted, "timestamps"), keys.folder)
        self.outside = own.size if at(trusted, "independent") is True else max([0, *(each.size for each in map(Checkpoint, kept))])
        self.entries = [entry_of(each) for each in raw]


class Stamps:
    """What authorities (RFC 3161) have said of a log; each is looked at when it is needed, and once."""

    def __init__(self, folder, own, leaves, trusted, scratch):
        self.folder, self.origin, self.leaves, self.scratch, self.known = Path(folder, "timestamp"), own.origin, leaves, scratch, {}
        self.sizes = []
        if trusted is not None:
            self.within = int(sum(int(number) * SECONDS[unit] for number, unit in re.findall(r"(\d+)(ms|s|m|h)", trusted.get("within", "1h"))))
            (scratch / "authorities").write_text("\n".join(trusted["authorities"]) + "\n", "utf-8")
            names = [each.name for each in self.folder.iterdir()] if self.folder.exists() else []
            self.sizes = sorted(int(name[:-4]) for name in names if re.fullmatch(r"[1-9][0-9]{0,14}\.tsr", name))
            want(not self.sizes or self.sizes[-1] <= own.size, "the log was cut off since it was stamped")

    def over(self, place):
        """When the first timestamp over this entry was made, in seconds; None where none is over it."""
        first = bisect_right(self.sizes, place)
        return self.made(self.sizes[first]) if first < len(self.sizes) else None

    def made(self, size):
        if size not in self.known:
            answer = self.folder / f"{size}.tsr"
            want(answer.is_file() and answer.stat().st_size <= LARGEST_STAMP, f"{answer.name} is no timestamp")
            root = base64.b64encode(root_of(self.leaves[:size])).decode()
            (self.scratch / "stamped").write_text(f"{self.origin}\n{size}\n{root}\n", "utf-8")
            said = self.openssl(answer, "-reply", "-text")
            read = STAMPED.search(said.stdout.decode("utf-8", "replace"))
            want(said.returncode == 0 and read is not None, f"{answer.name} is no timestamp")
            seconds = calendar.timegm(time.strptime(f"{read[1]} {read[2]}", "%b %d %H:%M:%S %Y"))
            proof = self.openssl(answer, *"-verify -data stamped -CAfile authorities -partial_chain -attime".split(), str(seconds))
            want(proof.returncode == 0, f"{answer.name} proves nothing of this log")
            self.known[size] = seconds
        return self.known[size]

    def openssl(self, answer, *words):
        return subprocess.run(["openssl", "ts", *words, "-in", str(answer.resolve())], cwd=self.scratch, capture_output=True, check=False)


def entry_of(raw):
    text = raw.decode("utf-8")
    entry = parse(text)
    want(isinstance(entry, dict) and canonical(entry) == text, "an entry is not canonical")
    if set(entry) == {"at", "kind"} and entry["kind"] == "quiet":
        return entry
    want(set(entry) == {*TEXTS, "kind", "events"} and entry["kind"] == "execution", "an entry of a later version")
    want(all(isinstance(entry[name], str) for name in TEXTS) and type(entry["events"]) is int and entry["events"] > 0, "no entry")
    return entry


def payload_digest(payload):
    metadata = at(payload, "metadata")
    texts = {name: value for name, value in metadata.items() if isinstance(value, str)} if isinstance(metadata, dict) else {}
    return digest_of({"data": text_at(payload, "data"), "metadata": texts})


def said_in(attributes):
    data = lambda payloads: [payload_digest(each) for each in items(at(payloads, "payloads"))]
    fields = at(attributes, "memo", "fields")
    said = {name: text_at(attributes, name) for name in NAMES}
    said |= {name: text_at(attributes, name, own) for name, own in ONE_MEMBER.items()}
    said |= {name: data(at(attributes, name)) for name in ("input", "result")}
    said["details"] = data(at(attributes, "failure", "applicationFailureInfo", "details"))
    said["memo"] = [[name, payload_digest(each)] for name, each in sorted(fields.items(), key=lambda field: utf16(field[0]))] if isinstance(fields, dict) else []
    return {name: value for name, value in said.items() if value}


def digests_of(history):
    previous, found = "sha256:" + "0" * 64, []
    for event in items(at(history, "events")):
        named = {name: text_at(event, name) for name in ("eventId", "eventTime", "eventType")}
        said = {name: said_in(value) for name, value in event.items() if name.endswith("Attributes")}
        previous = digest_of({"event": {**named, "said": said}, "previous": previous})
        found.append(previous)
    return found


def seconds_of(text):
    """Whole seconds; None for what is no time."""
    read = TIME.fullmatch(text)
    try:
        seconds = calendar.timegm(time.strptime(read[1], "%Y-%m-%dT%H:%M:%S")) if read else None
    except ValueError:
        return None
    return seconds if seconds is not None and time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) == read[1] else None


def timely(proven, times, stamped, within):
    """How many events are proven, when each one after those was stamped in time."""
    rising = sorted(stamped, key=lambda each: each[0])
    counts = [events for events, _ in rising]
    for happened in times[proven:]:
        first = bisect_right(counts, proven)
        if first == len(rising) or happened is None or rising[first][1] - happened > within:
            break
        proven += 1
    return proven


def check_anchor(content, log):
    histories = {each["runId"]: each["history"] for each in content["executions"]}
    executions = {name: digests_of(history) for name, history in histories.items()}
    best, stamped = dict.fromkeys(executions, 0), {name: [] for name in executions}
    for place, entry in enumerate(log.entries):
        if entry["kind"] != "execution" or (entry["workflowId"], entry["firstRunId"]) != (content["workflowId"], content["runId"]):
            continue
        want(entry["runId"] in executions, f"execution {entry['runId']} is left out")
        digests, events = executions[entry["runId"]], entry["events"]
        want(len(digests) >= events and digests[events - 1] == entry["history"], f"another past than by {entry['at']}")
        want(entry["ended"] == "open" or len(digests) == events, f"it had ended by {entry['at']}")
        if place < log.outside:
            best[entry["runId"]] = max(best[entry["runId"]], events)
        made = log.stamps.over(place)
        if made is not None:
            stamped[entry["runId"]].append((events, made))
    for name, history in histories.items():
        if stamped[name]:
            times = [seconds_of(text_at(event, "eventTime")) for event in items(at(history, "events"))]
            best[name] = timely(best[name], times, stamped[name], log.stamps.within)
    return None if all(best[name] == len(each) for name, each in executions.items()) else "not all of it was proven outside in time"
