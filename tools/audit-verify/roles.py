"""Whether those who signed may ask for it, by the policy that the audit trusts. Never a failure: that may be the policy of another time."""
from export_json import at, items, text_at
from signatures import VERBS, counted_approvals, opened, turn_of, wave_of

TAKES = {
    **{verb: {"operator"} for verb in VERBS},
    "apply": {"requester"},
    "revise": {"requester"},
    "rollBack": {"operator", "automation"},
    "rollForward": {"requester", "operator"},
    "approve": {"approver"},
    "reject": {"approver", "operator"},
}
OF_ANOTHER = ("approve", "budget")


def taken(statement, is_own):
    """Any of these roles is enough."""
    verb = statement["verb"]
    if is_own and verb in OF_ANOTHER:
        return {"breakGlass"}
    to_kcm = {"operator"} if (verb, statement["target"]) == ("apply", "kcm") else set()
    return TAKES[verb] | to_kcm | {"breakGlass"}


def covers(grant, cluster, fleet):
    """Whether a grant is for a cluster, or without one for a fleet as a whole; None where that hangs on labels of the cluster."""
    names, fleets = (None if each is None else items(each) for each in (at(grant, "clusters", "names"), at(grant, "fleets")))
    labels = at(grant, "clusters", "labels") or {}
    if cluster is None:
        return fleet in fleets if fleets is not None else names is None and not labels
    if (fleets is not None and fleet not in fleets) or (names is not None and cluster not in names):
        return False
    return None if labels else True


def missing_role(keys, statement, who, place, asker=None):
    """Why it is not shown that the signer may ask for it there; None where it is."""
    cluster, fleet = place
    wanted = taken(statement, who == asker)
    found = [covers(grant, cluster, fleet) for grant in keys.grants[who] if wanted & set(items(at(grant, "roles")))]
    if True in found:
        return None
    labels = f", unless labels of {cluster} give it, which no export has" if None in found else ""
    return f"{who} may not {statement['verb']} there: it takes {' or '.join(sorted(wanted))}{labels}"


def check_roles(keys, steps):
    """Of a run whose signatures are proven."""
    for step in steps:
        start, _, asker = opened(keys, at(step, "authority", "start"))
        commands = [opened(keys, each) for each in items(at(step, "authority", "commands"))]
        turn, last_asker = turn_of(commands, asker)
        place = (text_at(step, "cluster", "name"), start["fleet"])
        begun = [] if turn == "rollBack" else [missing_role(keys, start, asker, place)]
        given = [missing_role(keys, said, by, place, last_asker) for said, _, by in commands]
        found = [why for why in [*begun, *given, unapproved_wave(keys, step, start, asker)] if why is not None]
        if found:
            return found[0]
    return None


def unapproved_wave(keys, step, start, asker):
    counted = counted_approvals(keys, step, start, asker)
    lacking = [why for by in counted if (why := missing_role(keys, {**start, "verb": "approve"}, by, (None, start["fleet"]), asker))]
    return lacking[0] if lacking and len(counted) - len(lacking) < wave_of(at(step, "authority", "member"))["before"] else None


def check_fleet_roles(keys, records, fleet):
    """Of a fleet whose signatures are proven."""
    begin, start, asker, back = None, None, None, set()
    for kind, value in records:
        found = []
        if kind == "begins":
            begin = value
            start, _, asker = opened(keys, value.authority)
        elif kind in ("admitCommand", "admitRevision") and at(value[1], "kind") == "admitted":
            path = ("command", "signed") if kind == "admitCommand" else ("signed", "statement")
            envelope = at(value[0], *path)
            said, _, by = opened(keys, envelope)
            back |= {envelope["payload"]} if said["verb"] == "rollBack" else set()
            found = [missing_role(keys, said, by, (None, fleet), asker)]
        elif kind == "startClusters":
            rows = [each["row"] for each in value if text_at(each, "signed", "payload") not in back]
            names = [begin.names[row] if row < len(begin.names) else "" for row in rows]
            found = [missing_role(keys, start, asker, (name, fleet)) for name in names]
        found = [why for why in found if why is not None]
        if found:
            return found[0]
    return None
