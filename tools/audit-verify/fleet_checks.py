"""The checks of the exports of fleets: what they were given, who asked, and who approved."""
from export_json import at, canonical, digest, digest_of, items, text_at, want
from recorded_history import Activity, first_of
from signatures import folded, is_second, opened, payload_of

FLEET = "fleet-migration/"
COMMAND = ("commandId", "actor", "reason", "fleetRun", "scope", "order", "signed")


class Begin:
    """With what an execution begins."""

    def __init__(self, given):
        self.carried = at(given, "carried") if at(given, "given") is None else None
        self.settings = settings = self.carried if self.carried is not None else at(given, "given")
        self.plan = plan = at(settings, "plan") if self.carried is None else at(settings, "state")
        self.fleet, self.authority = text_at(given, "fleet"), at(settings, "authority")
        want(all(is_text(at(given, name)) for name in ("fleet", "actor", "reason")), "no fleet begins so")
        want(is_settings(settings) and is_plan(plan), "no fleet begins so")
        self.digest, self.revision, self.requester = plan["planDigest"], plan["revision"], plan["requester"]
        self.words = {name: text_at(given, name) for name in ("actor", "reason", "ticket")}
        self.demands = demands_of(plan)
        self.wave_of, self.started, self.over, self.begun, self.runs, self.signed, self.stopped = [], set(), set(), set(), set(), [], False
        if self.carried is None:
            want(are_rows(plan), "no fleet begins so")
            self.wave_of, self.names = [row["wave"] for row in plan["rows"]], [row["name"] for row in plan["rows"]]
        else:
            self.carry(plan)

    def carry(self, state):
        rows, waves, requests = state["rows"], state["waves"], at(self.carried, "requests")
        want(all(is_text(row[0]) and is_count(row[2][0]) and is_count(row[2][3]) for row in rows), "no rows")
        want(all("begunMs" in wave and isinstance(at(wave, "over"), bool) for wave in waves), "no waves")
        want(all(wave["begunMs"] is None or is_count(wave["begunMs"]) for wave in waves), "no waves")
        want(is_text(at(state, "fleetRun")) and isinstance(at(state, "stopped"), bool) and isinstance(requests, list), "no state")
        self.wave_of, self.names = [row[2][0] for row in rows], [row[0] for row in rows]
        self.started = {number for number, row in enumerate(rows) if row[2][3] > 0}
        self.over = {number for number, wave in enumerate(waves) if wave["over"]}
        self.begun = {number for number, wave in enumerate(waves) if wave["begunMs"] is not None}
        self.runs = {each for each in (state["fleetRun"], at(state, "formerRun")) if is_text(each)}
        approvals = [each for wave in waves for each in items(at(wave, "approvedBefore"))]
        self.signed, self.stopped = [payload_of(at(each, "signed")) for each in [*requests, *approvals]], state["stopped"]

    def root(self, signed):
        """Root of the tree over the clusters, in the form in which it was signed: older ones say nothing of waves."""
        return signed if signed in (self.root_of(True), self.root_of(False)) else ""

    def root_of(self, demands):
        """Over the clusters, each with what its wave is started with, and what that demands."""
        waves = [{name: digest_of(at(each, name)) for name in ("policy", "materials", "timings")} for each in items(at(self.settings, "waves"))]
        for index, (wave, planned) in enumerate(zip(waves if demands else [], self.plan["waves"])):
            before = 0 if at(planned, "overAtRevision") is True else at(planned, "approvals", "before")
            if before == 0:
                continue
            wave["wave"] = {"approvers": at(planned, "approvers"), "before": before, "index": index, "revision": self.revision}
        nothing = {"policy": "", "materials": "", "timings": ""}
        level = []
        for number, member in enumerate(items(at(self.settings, "members"))):
            wave = self.wave_of[number] if number < len(self.wave_of) else -1
            leaf = {"cluster": at(member, "uid"), **(waves[wave] if 0 <= wave < len(waves) else nothing)}
            level.append(digest("member " + canonical(leaf)))
        while len(level) > 1:
            pairs = [level[each : each + 2] for each in range(0, len(level), 2)]
            level = [digest(f"members {pair[0]} {pair[1]}") if len(pair) == 2 else pair[0] for pair in pairs]
        return level[0] if level else digest("")


def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def is_count(value):
    return type(value) is int and 0 <= value < 2**53


def is_settings(settings):
    waves, members = at(settings, "waves"), at(settings, "members")
    parts = ("policy", "materials", "timings")
    is_whole = isinstance(waves, list) and all(at(wave, part) is not None for wave in waves for part in parts)
    return is_whole and isinstance(members, list) and all(is_text(at(member, "uid")) for member in members)


def is_plan(plan):
    def is_demand(wave):
        approvers = at(wave, "approvers")
        is_open = isinstance(wave, dict) and "approvers" in wave and (approvers is None or (isinstance(approvers, list) and all(map(is_text, approvers))))
        return is_open and is_text(at(wave, "name")) and is_count(at(wave, "approvals", "before"))

    named = is_text(at(plan, "planDigest")) and is_count(at(plan, "revision")) and is_text(at(plan, "requester"))
    waves = at(plan, "waves")
    return named and isinstance(waves, list) and all(map(is_demand, waves)) and isinstance(at(plan, "rows"), list)


def are_rows(plan):
    return all(is_text(at(row, "name")) and is_count(at(row, "wave")) for row in plan["rows"])


def is_command(command):
    """Whether a fleet can read it; it does nothing with any other."""
    scope, order = at(command, "scope"), at(command, "order")
    kind, verb, subject, only = at(scope, "kind"), at(order, "verb"), at(order, "subject"), at(order, "only")
    rows = at(scope, "rows")
    is_scope = {
        "fleet": True,
        "wave": is_count(at(scope, "wave")),
        "group": is_text(at(scope, "group")),
        "rows": isinstance(rows, list) and all(map(is_count, rows)),
    }
    is_subject = at(subject, "kind") == "limits" or (at(subject, "kind") in ("before", "after") and is_count(at(subject, "wave")))
    limits = [order[name] if name in order else "" for name in ("inFlight", "unproven")] if isinstance(order, dict) else []
    is_order = {
        "approve": is_subject and is_text(at(order, "planDigest")) and is_count(at(order, "revision")),
        "reject": is_subject,
        "retry": at(only, "kind") in ("all", "failed", "skipped") or (at(only, "kind") == "signature" and is_text(at(only, "signature"))),
        "set": all(limit is None or is_count(limit) for limit in limits),
        "budget": is_count(at(order, "clusters")),
        **{verb: True for verb in "pause resume freeze unfreeze skip open stop rollBack rollForward".split()},
    }
    named = all(is_text(at(command, name)) for name in ("commandId", "actor", "reason"))
    return named and isinstance(kind, str) and is_scope.get(kind, False) and isinstance(verb, str) and is_order.get(verb, False)


def told(command):
    """What counts of a command, as one text."""
    return canonical([at(command, name) for name in COMMAND])


def demands_of(plan):
    return [(at(wave, "name"), at(wave, "approvals", "before"), at(wave, "approvers")) for wave in items(at(plan, "waves"))]


def records_of(executions):
    """What the histories say of people, in order."""
    for execution in executions:
        begun = {}
        for event in items(at(execution, "history", "events")):
            started = at(event, "workflowExecutionStartedEventAttributes")
            if started is not None:
                yield "begins", Begin(first_of(at(started, "input")))
            name = text_at(event, "workflowExecutionSignaledEventAttributes", "signalName")
            if name in ("fleetCommand", "fleetRevision"):
                sent = first_of(at(event, "workflowExecutionSignaledEventAttributes", "input"))
                if name == "fleetRevision" or is_command(sent):
                    yield name, sent
            if at(event, "activityTaskScheduledEventAttributes") is not None:
                activity = begun[text_at(event, "eventId")] = Activity(event, execution)
                if activity.name in ("startClusters", "broadcast"):
                    orders = activity.input()[{"startClusters": "starts", "broadcast": "messages"}[activity.name]]
                    want(isinstance(orders, list), "no orders")
                    starts = orders if activity.name == "startClusters" else []
                    want(all(is_count(at(start, name)) for start in starts for name in ("row", "grant")), "no starts")
                    yield activity.name, orders
                    if activity.name == "startClusters":
                        yield "approvals", approvals_in(activity.input())
            ended = at(event, "activityTaskCompletedEventAttributes")
            activity = begun.get(text_at(ended, "scheduledEventId"))
            if activity is not None and activity.name in ("admitCommand", "admitRevision"):
                yield activity.name, (activity.input(), first_of(at(ended, "result")))


def approvals_in(given):
    """That the runs were started with; builds before the one that hands them on left them out."""
    if "approvals" not in given:
        return []
    waves = [at(wave, "signed") for wave in items(given["approvals"])]
    want(isinstance(given["approvals"], list) and all(isinstance(each, list) for each in waves), "no approvals")
    return [each for wave in waves for each in wave]


def check_plan(records, fleet):
    before, sent, older = None, [], False
    for kind, value in records:
        given = at(value, "given") if kind == "fleetRevision" else value.settings if kind == "begins" and value.carried is None else None
        plan = at(given, "plan") if is_plan(at(given, "plan")) and are_rows(at(given, "plan")) else None
        if plan is not None:
            parts = [plan["waves"], plan["rows"], at(given, "waves"), at(given, "members"), at(given, "skipped")]
            is_older = not all(isinstance(part, list) for part in parts)
            older = older or is_older
        if plan is not None and not is_older:
            content = {"fleet": fleet, "skipped": given["skipped"], **({"rollout": plan["policy"]} if "policy" in plan else {})}
            content["waves"] = [{"plan": one, **settings} for one, settings in zip(plan["waves"], given["waves"])]
            content["clusters"] = [{**row, **member} for row, member in zip(plan["rows"], given["members"])]
            want(digest_of(content) == plan["planDigest"], "the plan is not that of its digest")
        if kind == "fleetRevision" and plan is not None:
            sent.append((text_at(plan, "planDigest"), demands_of(plan)))
        if kind != "begins":
            continue
        if before is not None:
            plans = [(before.digest, before.demands)] if value.revision == before.revision else sent
            named = [demands for known, demands in plans if known == value.digest]
            want(named and 0 <= value.revision - before.revision <= len(sent), "it goes on by a plan that it was not given")
            for number, demand in enumerate(value.demands):
                known = [plan[number] for plan in [*named, before.demands] if number < len(plan)]
                want(demand in known, "a wave demands other approvals than in the plan")
        before, sent = value, []
    return "an older build gave it without who was left out" if older else None


def check_signatures(keys, records, content):
    if all(value.authority is None for kind, value in records if kind == "begins"):
        return "no one signed"
    workflow, run, fleet = content["workflowId"], content["runId"], content["fleet"]
    rests, by, passed, plans = "", None, set(), set()
    commands, revisions = set(), {}

    def let_pass(envelope, principal, wanted):
        statement, _, signer = opened(keys, envelope)
        for name, each in {**wanted, "workflowId": workflow, "fleet": fleet}.items():
            want(statement[name] == each, f"its {name} is not what was signed")
        want(not is_second(statement["verb"], signer, by, keys), f"another person must do what {signer} asked for")
        want(principal == signer, f"the worker names {principal}, and {signer} signed")
        return envelope["payload"]

    for kind, value in records:
        if kind == "begins":
            payload = text_at(value.authority, "payload")
            statement, _, signer = opened(keys, value.authority)
            want(rests in ("", payload) or payload in plans, "it goes on by what no one was asked about")
            signed = {"fleet": fleet, "workflowId": workflow, "plan": value.digest, "members": value.root(statement["members"])}
            signed.update(value.words if value.carried is None else {})
            for name, each in signed.items():
                want(statement[name] == each, f"its {name} is not what was signed")
            want(value.fleet == fleet and workflow == FLEET + fleet, "it is of another fleet")
            want(statement["verb"] in (("apply",) if value.carried is None else ("apply", "revise")), "it starts no fleet")
            passed |= set(value.signed) if rests == "" else set()
            want(set(value.signed) - {""} <= passed, "it rests on a command that no worker let pass")
            rests, by, plans, commands, revisions = payload, signer, set(), set(), {}
        elif kind == "fleetCommand":
            commands.add(told(value))
        elif kind == "fleetRevision":
            revisions[text_at(value, "commandId")] = value
        elif kind == "admitCommand":
            command, answer = at(value[0], "command"), value[1]
            want(told(command) in commands, "no such command was sent")
            if at(answer, "kind") != "admitted":
                continue
            subject = digest_of({"scope": command["scope"], "order": command["order"]})
            wanted = {"verb": text_at(command, "order", "verb"), "runId": at(command, "fleetRun") or ""}
            passed.add(let_pass(at(command, "signed"), at(answer, "principal"), {**wanted, "nonce": command["commandId"], "subject": subject}))
        elif kind == "admitRevision":
            asked, answer = value
            sent = revisions.get(text_at(asked, "commandId"))
            same = (at(sent, "given", "plan", "planDigest"), payload_of(at(sent, "signed", "statement")))
            want(same == (at(asked, "planDigest"), payload_of(at(asked, "signed", "statement"))), "no such plan was sent")
            if at(answer, "kind") == "admitted":
                wanted = {"verb": "revise", "runId": run, "nonce": asked["commandId"], "plan": asked["planDigest"]}
                wanted["subject"] = text_at(asked, "signed", "members")
                plans.add(let_pass(at(asked, "signed", "statement"), at(answer, "principal"), wanted))
        else:
            orders = [at(each, "order") for each in value] if kind == "broadcast" else value
            used = {text_at(each, "payload") if kind == "approvals" else text_at(each, "signed", "payload") for each in orders} - {""}
            want(used <= passed, "it rests on a command that no worker let pass")


def check_approvals(records, run):
    is_signed = any(kind == "begins" and value.authority is not None for kind, value in records)
    runs, begun, begin, is_first, unknown = {run}, set(), None, True, None
    # By wave, each of which is looked at once: an export may have thousands of waves, and of approvals.
    given, withdrawn, revisers = {}, {}, {}

    def hear(command, principal, counts):
        order = at(command, "order")
        wave = at(order, "subject", "wave")
        if not is_command(command) or at(command, "fleetRun") not in runs or at(order, "subject", "kind") != "before":
            return
        if at(order, "verb") == "reject":
            withdrawn.setdefault(wave, []).extend(given.pop(wave, []))
        elif at(order, "verb") == "approve" and counts:
            actor = text_at(command, "actor")
            given.setdefault(wave, []).append((at(order, "planDigest"), at(order, "revision"), actor, principal))

    def people(wave, approvals, of_any_plan=False):
        actors, names = set(), set()
        approvers, asker = begin.demands[wave][2], revisers.get(begin.digest)
        theirs = None if approvers is None else set(map(folded, approvers))
        for plan, revision, claimed, key in approvals:
            actor, name = folded(claimed), key or claimed
            is_theirs = theirs is None or folded(name) in theirs
            is_asker = actor == folded(begin.requester) or (key != "" and key == asker)
            is_new = actor not in actors and name not in names
            is_of_plan = of_any_plan or (plan, revision) == (begin.digest, begin.revision)
            if is_of_plan and is_theirs and not is_asker and is_new:
                actors.add(actor)
                names.add(name)
        return len(names)

    for kind, value in records:
        if kind == "begins":
            is_first, begin = begin is None, value
            runs |= value.runs
        elif kind == "fleetCommand":
            hear(value, "", not is_signed)
        elif kind == "admitRevision" and at(value[1], "kind") == "admitted":
            revisers[text_at(value[0], "planDigest")] = text_at(value[1], "principal")
        elif kind == "admitCommand" and at(value[1], "kind") == "admitted":
            hear(at(value[0], "command"), text_at(value[1], "principal"), True)
        elif kind == "startClusters":
            rows = [start["row"] for start in value if at(start, "target") == "ccm"]
            for wave in {begin.wave_of[row] for row in rows if row < len(begin.wave_of)} - begun:
                begun.add(wave)
                demanded = begin.demands[wave][1] if wave < len(begin.demands) else 0
                if demanded == 0 or people(wave, given.get(wave, [])) >= demanded:
                    continue
                is_carried = begin.carried is not None and (wave in begin.over or (is_first and wave in begin.begun))
                ever = given.get(wave, []) + withdrawn.get(wave, [])
                is_overtaken = people(wave, ever, begin.carried is not None) >= demanded
                want(is_carried or is_overtaken, f"a wave began without {demanded} approvals")
                unknown = "a wave had begun, or was rejected meanwhile"
    return unknown


def check_outcome(outcome, records, executions):
    if outcome is None:
        return "the fleet has not ended by itself"
    begins = [value for kind, value in records if kind == "begins"]
    counts = at(outcome, "counts") or {}
    want(all(type(count) is int and count >= 0 for count in counts.values()), "it counts no clusters")
    want(sum(counts.values()) == len(begins[-1].wave_of), "it does not count each of its clusters once")
    started = begins[0].started | {start["row"] for kind, value in records if kind == "startClusters" for start in value}
    want(counts.get("proven", 0) <= len(started), "it counts more as proven than it started")
    kind = at(outcome, "kind")
    told = any(kind == "fleetCommand" and at(value, "order", "verb") == "stop" for kind, value in records)
    events = items(at(executions[-1], "history", "events"))
    told = told or any(at(event, "workflowExecutionCancelRequestedEventAttributes") is not None for event in events)
    want(kind == "done" or (kind == "stopped" and (told or any(each.stopped for each in begins))), "no one told it to stop")
