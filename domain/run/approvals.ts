import { HANDOVER_APPROVAL } from '../vocabulary.js';
import { oneLine } from '../findings/plain-text.js';
import type { GateVerdict } from '../gates/verdicts.js';
import { countingVerdicts } from '../gates/waived-gates.js';
import { gatesHoldReason } from './holds.js';
import type { CommandAnswer, OperatorCommand } from './operator-command.js';
import { awaitedApprovals, rejectionFindings } from './run-findings.js';
import type { AdmittedBy, Commands, Direction, QueuedCommand, RunState } from './run-state.js';
import { isSamePerson } from './same-person.js';

/**
 * Approves what waits for a person: the handover, or a finding that only its owner can accept. Four eyes: the person who
 * requested this direction cannot approve it. Both names are claims; an audit compares them with the server's principals.
 */
export function approve(state: RunState, command: QueuedCommand): Applied {
  const what = waitsForApproval(state, command) ?? waitsForMore(state, command);
  if (what === null) return refused(state, 'CCM4005: nothing waits for this approval');
  const code = command.isExact === true ? (command.arguments['code'] ?? '') : '';
  if (code !== '' && code !== what) return refused(state, otherApproval(what, code));
  const { actor } = state.direction.requestedBy;
  if (isSamePerson(actor, command.actor)) {
    return refused(state, `CCM4015: ${actor} requested this, so another person must approve it`);
  }
  const { admitted } = command;
  return what === HANDOVER_APPROVAL && admitted !== undefined
    ? approveAsOneOf(state, command, admitted)
    : applied(approvedFor(state, what), `${what} approved by ${command.actor}`);
}

/** Its sender signed another approval than the one that workers would look for. */
function otherApproval(what: string, code: string): string {
  const given = oneLine(code);
  return what === HANDOVER_APPROVAL
    ? `CCM4005: the run waits for approval of the ${what}, not of ${given}: approve it without --code`
    : `CCM4005: the run waits for approval of ${what}, not of ${given}`;
}

function approvedFor(state: RunState, what: string): RunState {
  const { direction } = state;
  return {
    ...state,
    direction: {
      ...direction,
      approvals: [...direction.approvals, what],
      revision: direction.revision + 1,
    },
    problems: { ...state.problems, holdReason: null },
    pending: { ...state.pending, observed: true },
  };
}

/** One of the people who must approve the handover: it goes on waiting for the others. */
function approveAsOneOf(
  state: RunState,
  { actor }: OperatorCommand,
  { principal, quorum }: AdmittedBy,
): Applied {
  const before = state.direction.handover?.by ?? [];
  const by = before.includes(principal) ? before : [...before, principal];
  const isEnough = by.length >= quorum;
  if (by === before && !isEnough) {
    return refused(
      state,
      `CCM4015: ${principal} has approved it already; another person must, too`,
    );
  }
  const next: RunState = {
    ...state,
    direction: { ...state.direction, handover: { by, quorum } },
  };
  const count = `${String(by.length)} of ${String(quorum)}`;
  const words = `${count} people have approved the ${HANDOVER_APPROVAL}`;
  if (isApproved(state)) return applied(next, isEnough ? `${words}; now retry` : words);
  if (isEnough) {
    const counted = quorum === 1 ? '' : `, ${count}`;
    const said = `${HANDOVER_APPROVAL} approved by ${actor}${counted}`;
    return applied(approvedFor(next, HANDOVER_APPROVAL), said);
  }
  const findings = awaitedApprovals({ by, quorum });
  const holdReason = { kind: 'approval' as const, what: HANDOVER_APPROVAL, findings };
  return applied({ ...next, problems: { ...state.problems, holdReason } }, words);
}

function isApproved({ direction }: RunState): boolean {
  return direction.approvals.includes(HANDOVER_APPROVAL);
}

/** A handover that was approved when fewer people had to: workers do not carry it out. */
function waitsForMore(state: RunState, { admitted }: QueuedCommand): string | null {
  const { by = [] } = state.direction.handover ?? {};
  const isShort = admitted !== undefined && by.length < admitted.quorum && admitted.quorum > 1;
  return isShort && isApproved(state) ? HANDOVER_APPROVAL : null;
}

/** Rejects what waits for approval: the run holds until an operator approves it, reverses the run or stops it. */
export function reject(state: RunState, command: OperatorCommand): Applied {
  const what = waitsForApproval(state, command);
  if (what === null) return refused(state, 'CCM4005: nothing waits for this approval');
  const findings = rejectionFindings(what, command.actor, command.reason);
  // Who approved before cannot have known why.
  const { handover: _dropped, ...direction } = state.direction;
  return applied(
    {
      ...state,
      direction,
      problems: { ...state.problems, holdReason: { kind: 'rejected', what, findings } },
    },
    `${what} rejected by ${command.actor}`,
  );
}

function waitsForApproval(state: RunState, command: OperatorCommand): string | null {
  const { holdReason } = state.problems;
  if (holdReason?.kind === 'approval' || holdReason?.kind === 'rejected') return holdReason.what;
  if (holdReason?.kind !== 'blocked') return null;
  const wanted = command.arguments['code'];
  const waiting = holdReason.findings
    .map(({ code }) => code)
    .filter((code) => waivableBy(state, code) === 'approve');
  return waiting.find((code) => wanted === undefined || code === wanted) ?? null;
}

/**
 * Waives one named finding, once, for exactly the observed state of the cluster, or one soft gate that holds the run, for its
 * direction. What guards against two owners, a lost quorum or an unfenced write is never waived.
 */
export function skip(state: RunState, command: QueuedCommand): Applied {
  const [gate, ...others] = gatesMeant(state, command);
  if (gate === undefined) return skipFinding(state, command);
  if (others.length > 0 && command.isExact === true) {
    return refused(state, severalGates([gate, ...others]));
  }
  return applied(
    skipGate(state, gate, command),
    `${gate.gate} (${gate.code}) skipped; it holds no soak of this direction any more`,
  );
}

function skipFinding(state: RunState, command: OperatorCommand): Applied {
  const { holdReason } = state.problems;
  const { code = '', gate: named = '' } = command.arguments;
  if (named !== '' || holdReason?.findings.some((finding) => finding.code === code) !== true) {
    return refused(state, notHeldFor(oneLine(code), oneLine(named)));
  }
  const direction = waived(state, code, command);
  if (holdReason.kind !== 'blocked' || direction === null) {
    return refused(state, `CCM4014: ${code} cannot be skipped`);
  }
  const next: RunState = {
    ...state,
    direction,
    problems: { ...state.problems, holdReason: null },
    pending: { ...state.pending, observed: true },
  };
  return applied(next, `${code} waived once`);
}

/** The soft gates that hold the run with this code, each once: all of them, or the one that is named. */
function gatesMeant(
  { problems: { breaches, gates } }: RunState,
  { arguments: { code = '', gate: named = '' } }: OperatorCommand,
): readonly GateVerdict[] {
  const those = [...breaches, ...gates].filter(
    ({ hardness, ...verdict }) =>
      hardness === 'soft' && verdict.code === code && (named === '' || verdict.gate === named),
  );
  return [...new Map(those.map((verdict) => [verdict.gate, verdict])).values()];
}

function severalGates(gates: readonly [GateVerdict, ...GateVerdict[]]): string {
  const [{ code }] = gates;
  const names = gates.map(({ gate }) => gate).join(', ');
  return `CCM4005: the run is held for ${code} by several gates, ${names}: name one with --gate`;
}

function notHeldFor(code: string, gate: string): string {
  const what = code === '' ? 'an unnamed finding' : code;
  return `CCM4005: the run is not held for ${what}${gate === '' ? '' : ` of ${gate}`}`;
}

/** The rest of a soak goes on: that one gate was skipped says nothing of the others. */
function skipGate(
  state: RunState,
  { gate, code }: GateVerdict,
  { actor, reason }: OperatorCommand,
): RunState {
  const { direction, problems, proofs, pending } = state;
  const waivedGates = [...(direction.waivedGates ?? []), { gate, code, actor, reason }];
  const gates = countingVerdicts(problems.gates, waivedGates);
  const breaches = countingVerdicts(problems.breaches, waivedGates);
  const [first, ...others] = [...breaches, ...gates];
  const skipped: RunState = {
    ...state,
    direction: { ...direction, waivedGates },
    problems: { ...problems, gates, breaches },
  };
  if (first !== undefined) {
    const holdReason = gatesHoldReason([first, ...others]);
    return { ...skipped, problems: { ...skipped.problems, holdReason } };
  }
  return {
    ...skipped,
    problems: { ...skipped.problems, holdReason: null },
    proofs: { ...proofs, soak: proofs.soak === 'failed' ? 'pending' : proofs.soak },
    pending: { ...pending, observed: true },
  };
}

/** The direction with one more waiver, for exactly the cluster that was observed; null where none may be. */
function waived(
  state: RunState,
  code: string,
  { actor, reason }: OperatorCommand,
): Direction | null {
  const { direction, observed } = state;
  if (observed === null || waivableBy(state, code) !== 'skip') return null;
  const waiver = { code, observationDigest: observed.decision.state, actor, reason };
  const { revision, waivers } = direction;
  return { ...direction, revision: revision + 1, waivers: [...waivers, waiver] };
}

/** The waivable finding of the last decision that has this code. */
function waivableBy({ observed }: RunState, code: string): 'approve' | 'skip' | 'never' {
  const next = observed?.decision.next;
  return next?.kind === 'blocked' ? (next.waivable[code] ?? 'never') : 'never';
}

/** A command's effect on the run, and the answer to its sender. */
export interface Applied {
  readonly state: RunState;
  readonly answer: CommandAnswer;
}

export function applied(state: RunState, detail: string): Applied {
  return { state, answer: { state: 'applied', detail } };
}

export function refused(state: RunState, detail: string): Applied {
  return { state, answer: { state: 'refused', detail } };
}

/** The commands with the answer to one of them. */
export function answered(commands: Commands, commandId: string, answer: CommandAnswer): Commands {
  return { ...commands, answers: { ...commands.answers, [commandId]: answer } };
}
