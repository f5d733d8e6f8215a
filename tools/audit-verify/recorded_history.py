"""What the histories of an export say: payloads, activities, the outcome of the run."""
import re
import zlib

from export_json import Broken, at, items, parse, text_at, unbase64, want

LARGEST_PAYLOAD = 32 * 1024 * 1024
MOST_EXPANDED = 2 * 1024**3
GZIP = "YmluYXJ5L2d6aXA="
ACTIVITY_ID = re.compile("[1-9][0-9]{0,14}")


def expanded(zipped):
    """What one gzip member holds that has no fields of its own, and that nothing follows."""
    want(zipped[:4] == b"\x1f\x8b\x08\x00", "not gzip as it is written here")
    claimed = int.from_bytes(zipped[-4:], "little")
    want(claimed <= LARGEST_PAYLOAD, "too large")
    expander = zlib.decompressobj(31)
    try:
        data = expander.decompress(zipped, claimed + 1)
    except zlib.error as error:
        raise Broken("no gzip") from error
    want(expander.eof and len(data) == claimed and expander.unused_data == b"", "larger than it says, torn, or followed by more")
    return data


def check_sizes(content, most=MOST_EXPANDED):
    """All compressed payloads together hold no more, by the length that each one says: it is not expanded further."""
    total, level = 0, [content]
    while level:
        for each in level:
            data = at(each, "data")
            if at(each, "metadata", "encoding") == GZIP and isinstance(data, str):
                total += claimed_size(data)
        want(total <= most, "its payloads expand to more than 2 GiB")
        level = [part for each in level for part in (each.values() if isinstance(each, dict) else items(each))]


def claimed_size(data):
    """The last four bytes of a gzip member; none of what is never expanded: too large, too short, or in another spelling of base64."""
    try:
        last = unbase64(data[-8:])[-4:]
    except Broken:
        return 0
    claimed = int.from_bytes(last, "little") if len(last) == 4 else 0
    return claimed if claimed <= LARGEST_PAYLOAD else 0


def payload_text(payload):
    """The text that a payload carries; "" for nothing."""
    metadata = {name: unbase64(value) for name, value in (at(payload, "metadata") or {}).items()}
    data = unbase64(at(payload, "data") or "")
    encoding = metadata.get("encoding", b"")
    if encoding == b"binary/gzip":
        encoding = metadata.get("ccm-migrate-encoding", b"")
        data = expanded(data)
    if encoding == b"binary/null":
        return ""
    want(encoding == b"json/plain", "an encoding unknown here")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Broken("no UTF-8") from error


def texts_of(payloads):
    return [payload_text(each) for each in items(at(payloads, "payloads"))]


def first_of(payloads):
    texts = texts_of(payloads)
    want(texts and texts[0], "a payload without content")
    return parse(texts[0])


def attributes(history, name):
    return next((event[name] for event in items(at(history, "events")) if at(event, name) is not None), None)


class Activity:
    def __init__(self, event, execution):
        asked = event["activityTaskScheduledEventAttributes"]
        self.name = text_at(asked, "activityType", "name")
        self.id = text_at(asked, "activityId")
        self.run_id = text_at(execution, "runId")
        self.asked = asked
        self.result = None
        self.ended = "open"
        self.read = {}

    def input(self):
        return self.once("input", at(self.asked, "input"))

    def output(self):
        return self.once("output", self.result)

    def once(self, which, payloads):
        if which not in self.read:
            self.read[which] = first_of(payloads)
        return self.read[which]


def trace_of(executions):
    """Activities as they were scheduled and completed: ("asked" | "done", activity), in order."""
    for execution in executions:
        begun, last = {}, 0
        for event in items(at(execution, "history", "events")):
            if at(event, "activityTaskScheduledEventAttributes") is not None:
                event_id = text_at(event, "eventId")
                want(event_id not in begun, f"event {event_id} is there twice")
                activity = begun[event_id] = Activity(event, execution)
                want(ACTIVITY_ID.fullmatch(activity.id) and int(activity.id) > last, f"activity {activity.id} is out of order")
                last = int(activity.id)
                yield "asked", activity
            for ending in ("Completed", "Failed", "TimedOut", "Canceled"):
                ended = at(event, f"activityTask{ending}EventAttributes")
                activity = begun.get(text_at(ended, "scheduledEventId"))
                want(activity is not None or ended is None, "an activity ends that nothing asked for")
                if activity is None:
                    continue
                want(activity.ended == "open", f"activity {activity.id} ends twice")
                activity.ended = "well" if ending == "Completed" else "badly"
                if ending == "Completed":
                    activity.result = at(ended, "result")
                    yield "done", activity


def outcome_of(execution):
    """What the run ended with; None where it has not ended by itself."""
    found = None
    for event in items(at(execution, "history", "events")):
        completed = at(event, "workflowExecutionCompletedEventAttributes", "result")
        failed = at(event, "workflowExecutionFailedEventAttributes", "failure", "applicationFailureInfo", "details")
        for payloads in (completed, failed):
            if items(at(payloads, "payloads")):
                found = first_of(payloads)
    return found
