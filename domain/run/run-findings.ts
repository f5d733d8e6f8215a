import { isFindingCode, makeFinding, type FindingCode } from '../findings/catalogue.js';
import { FAILURE_CODES } from '../findings/failure-codes.js';
import type { Finding } from '../findings/finding.js';
import type { GateVerdict } from '../gates/verdicts.js';
import type { Step } from '../decision/step.js';
import type { HandoverApprovals, InFlight, Findings, RunFailure } from './run-state.js';

export function failureFindings(failure: RunFailure, inFlight: InFlight): Findings {
  const seen = `${failure.type}: ${failure.message}`;
  return [makeFinding(FAILURE_CODES[failure.type], { subject: subjectOf(inFlight), seen })];
}

export function repeatFindings(step: Step, attempts: number, lastFailure: string): Findings {
  const targetReason = lastFailure === '' ? 'the same step was due again after each' : lastFailure;
  const seen = `${String(attempts)} attempts; ${targetReason}`;
  return [makeFinding('CCM4101', { subject: stepSubject(step), seen })];
}

/** One finding for each gate that did not pass; a code missing from the catalogue is shown as a failed gate. */
export function gateFindings(verdicts: readonly [GateVerdict, ...GateVerdict[]]): Findings {
  const [first, ...others] = verdicts;
  return [gateFinding(first), ...others.map(gateFinding)];
}

/** The name of the soft gate that a finding is about; null where it is about something else. */
export function softGateOf(subject: string): string | null {
  return /^soft gate (\S+)$/.exec(subject)?.[1] ?? null;
}

/** What could not be measured has its own page: the fix for a failed gate would mislead. */
function gateFinding({ gate, hardness, verdict, detail, code }: GateVerdict): Finding {
  const known = findingCodeOf(verdict, code);
  return makeFinding(known, {
    subject: `${hardness} gate ${gate}`,
    seen: `${verdict}: ${detail}`,
    severity: 'error',
  });
}

function findingCodeOf(verdict: GateVerdict['verdict'], code: string): FindingCode {
  switch (verdict) {
    case 'error':
    case 'inconclusive':
      return 'CCM3011';
    case 'noData':
      return 'CCM3012';
    case 'fail':
    case 'pass':
      return isFindingCode(code) ? code : 'CCM4103';
  }
}

export function approvalFindings(step: Step): Findings {
  const seen = `${stepSubject(step)} waits: ${step.why}`;
  return [makeFinding('CCM4015', { subject: 'approval of the handover', seen })];
}

/** The same once some have approved, and more must. */
export function awaitedApprovals({ by, quorum }: HandoverApprovals): Findings {
  const seen = `${String(by.length)} of ${String(quorum)} people have approved it: ${by.join(', ')}`;
  return [makeFinding('CCM4015', { subject: 'approval of the handover', seen })];
}

export function rejectionFindings(what: string, actor: string, reason: string): Findings {
  return [makeFinding('CCM4102', { subject: what, seen: `${actor}: ${reason}` })];
}

/** No step starts that could not write. */
export function unguardedFindings(): Findings {
  const seen = 'no guard has confirmed the fence of this run';
  return [makeFinding('CCM4028', { subject: 'guard', seen })];
}

export function guardFindings(why: string): Findings {
  return [makeFinding('CCM4104', { subject: 'guard', seen: why })];
}

export function stepSubject(step: Step): string {
  const node = nodeOf(step);
  return node === '' ? `step ${step.name}` : `step ${step.name} on ${node}`;
}

/** The node that a step changes; empty for cluster-wide steps. */
export function nodeOf({ effect }: Step): string {
  if ('node' in effect) return effect.node;
  return 'machine' in effect ? effect.machine : '';
}

function subjectOf(inFlight: InFlight): string {
  switch (inFlight.kind) {
    case 'stepping':
      return stepSubject(inFlight.planned.step);
    case 'checking':
      return 'input of the run';
    case 'takingFence':
      return 'fence Lease kube-system/ccm-migrate';
    case 'soaking':
      return 'gates';
    case 'observing':
    case 'held':
    case 'idle':
    case 'ended':
      return 'observation of the cluster';
  }
}
