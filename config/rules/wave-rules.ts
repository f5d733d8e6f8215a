import { durationMs } from '../duration.js';
import type { FleetMigration } from '../kinds/fleet-migration.js';
import type { WrittenPolicy } from '../kinds/migration-policy.js';
import type { WaveSpec } from '../kinds/wave.js';
import type { ValidDocument } from '../validated-documents.js';
import { approvalProblems } from './approval-rules.js';
import { canariesOf } from './canary-rules.js';
import type { Complain, DocumentPath } from './complain.js';
import type { FleetMember } from './fleet-members.js';
import { missingLabel, reportUnknown, selectedOf, someOf } from './fleet-members.js';
import { windowProblems } from './window-rules.js';

/** A wave with its policy and its clusters. */
export interface JoinedWave {
  readonly written: WaveSpec;
  readonly policy: ValidDocument<WrittenPolicy>;
  readonly members: readonly FleetMember[];
  readonly canaries: readonly FleetMember[];
}

interface WaveContext {
  /** Clusters of the fleet. */
  readonly members: readonly FleetMember[];
  /** Of waves without one of their own. */
  readonly policy: ValidDocument<WrittenPolicy>;
  readonly policyNamed: (name: string, path: DocumentPath) => ValidDocument<WrittenPolicy> | null;
  readonly complain: Complain;
}

/** The waves of a fleet with their clusters: each cluster is in the first that selects it, and a second is reported. */
export function joinWaves(
  { waves, rest }: FleetMigration['spec'],
  context: WaveContext,
): readonly JoinedWave[] {
  const { members, complain } = context;
  const waveOf = new Map<FleetMember, string>();
  const names = new Set<string>();
  const joined = waves.map((written, index) => {
    const path = ['spec', 'waves', index];
    if (names.has(written.name)) {
      const message = `a wave named "${written.name}" is already defined`;
      complain({ path: [...path, 'name'], message, code: 'CCM5009' });
    }
    names.add(written.name);
    const selected = selectWave(written, path, context);
    const own = selected.filter((member) => !waveOf.has(member));
    reportTaken(selected, waveOf, { path, complain });
    for (const member of own) waveOf.set(member, written.name);
    return joinWave(written, own, path, context);
  });
  const left = members.filter((member) => !waveOf.has(member)).map(({ name }) => name);
  if (left.length > 0 && rest === 'refuse') {
    const message = `${someOf(left)} ${left.length === 1 ? 'is' : 'are'} in no wave: select every cluster, or set rest: skip`;
    complain({ path: ['spec', 'waves'], about: 'key', message, code: 'CCM5023' });
  }
  return joined;
}

function selectWave(
  { selector }: WaveSpec,
  path: DocumentPath,
  { members, complain }: WaveContext,
): readonly FleetMember[] {
  const at = [...path, 'selector'];
  const given = { names: selector.names ?? [], path: [...at, 'names'], place: 'this fleet' };
  const isReported = reportUnknown(members, given, complain);
  const selected = selectedOf(members, selector);
  if (selected.length === 0 && !isReported) {
    const message = `selects no cluster of this fleet${missingLabel(members, selector)}`;
    complain({ path: at, message, code: 'CCM5021' });
  }
  return selected;
}

function reportTaken(
  selected: readonly FleetMember[],
  waveOf: ReadonlyMap<FleetMember, string>,
  { path, complain }: { readonly path: DocumentPath; readonly complain: Complain },
): void {
  const taken = selected.flatMap((member) => {
    const other = waveOf.get(member);
    return other === undefined ? [] : [`${member.name} (wave ${other})`];
  });
  if (taken.length === 0) return;
  const message = `also in an earlier wave: ${someOf(taken)}`;
  complain({ path: [...path, 'selector'], message, code: 'CCM5022' });
}

function joinWave(
  written: WaveSpec,
  members: readonly FleetMember[],
  path: DocumentPath,
  { policy: fleetPolicy, policyNamed, complain }: WaveContext,
): JoinedWave {
  const own =
    written.policy === undefined ? fleetPolicy : policyNamed(written.policy, [...path, 'policy']);
  const policy = own ?? fleetPolicy;
  approvalProblems(written.approvals, [...path, 'approvals'], complain);
  windowProblems(written, policy.content, { path, complain });
  soakProblem(written, policy.content, { path, complain });
  const canaries = canariesOf(written, members, { path: [...path, 'canary'], complain });
  return { written, policy, members, canaries };
}

function soakProblem(
  { soak, soakLimit }: WaveSpec,
  policy: WrittenPolicy,
  { path, complain }: { readonly path: DocumentPath; readonly complain: Complain },
): void {
  const planned = soak ?? policy.spec.soak;
  if (soakLimit === undefined || durationMs(soakLimit) >= durationMs(planned)) return;
  const message = `shorter than the soak ${planned}`;
  complain({ path: [...path, 'soakLimit'], message, code: 'CCM5010' });
}
