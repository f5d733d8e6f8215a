import { describe, expect, it } from '@jest/globals';
import {
  type DemandingWave,
  fleetLevels,
  memberLeaves,
  signedWaves,
  treeAsSigned,
} from '../../../domain/authority/member-leaves.js';
import { memberLevels, membersRoot } from '../../../domain/authority/member-tree.js';
import { digestJson } from '../../../domain/digest.js';

const settings = (name: string) => ({ policy: { name }, materials: { name }, timings: { name } });
const demanding = (before: number, more: Partial<DemandingWave> = {}): DemandingWave => ({
  ...{ approvals: { before }, approvers: null, ...more },
});
const rowsIn = (...waves: readonly number[]) => waves.map((wave) => ({ wave }));
const members = ['uid-1', 'uid-2', 'uid-3'].map((uid) => ({ uid }));
const fleet = { waves: [settings('pilot'), settings('main')], members };

describe('the leaves of a fleet', () => {
  it('say what each member is started with, by its wave', () => {
    const [first, second, third] = memberLeaves(fleet, rowsIn(1, 7), []);
    const digest = digestJson({ name: 'main' });
    expect(first).toEqual({
      ...{ cluster: 'uid-1', policy: digest, materials: digest, timings: digest },
    });
    expect(second).toEqual({ cluster: 'uid-2', policy: '', materials: '', timings: '' });
    expect(third).toEqual({ ...second, cluster: 'uid-3' });
  });

  it('say what the wave demands of people', () => {
    const waves = [demanding(0), demanding(2, { approvers: ['ben', 'cy'] })];
    const plan = { rows: rowsIn(0, 1, 1), waves, revision: 3 };
    const [first, second] = memberLeaves(fleet, plan.rows, signedWaves(plan));
    expect(first).not.toHaveProperty('wave');
    expect(second?.wave).toEqual({ index: 1, revision: 3, before: 2, approvers: ['ben', 'cy'] });
  });

  it('demand nothing for a wave that was over when the plan was revised', () => {
    const waves = [demanding(2, { overAtRevision: true })];
    expect(signedWaves({ waves, revision: 2 })).toEqual([null]);
  });
});

describe('the tree of a fleet', () => {
  const plan = { rows: rowsIn(0, 1, 1), waves: [demanding(0), demanding(1)], revision: 1 };

  it('is in the form in which it was signed', () => {
    const levels = fleetLevels(fleet, plan);
    expect(treeAsSigned(fleet, plan, membersRoot(levels))).toEqual({
      ...{ levels, waves: signedWaves(plan) },
    });
    const older = memberLevels(memberLeaves(fleet, plan.rows, []));
    expect(treeAsSigned(fleet, plan, membersRoot(older))).toEqual({ levels: older, waves: [] });
  });

  it.each<[string, Partial<typeof plan>]>([
    ['asks fewer people', { waves: [demanding(0), demanding(0)] }],
    ['asks other people', { waves: [demanding(0), demanding(1, { approvers: ['eve'] })] }],
    ['is of another revision', { revision: 2 }],
    ['has a cluster in another wave', { rows: rowsIn(0, 0, 1) }],
  ])('of a plan that %s is another one', (_, change) => {
    const root = membersRoot(fleetLevels(fleet, plan));
    const other = treeAsSigned(fleet, { ...plan, ...change }, root);
    expect(membersRoot(other.levels)).not.toBe(root);
  });
});
