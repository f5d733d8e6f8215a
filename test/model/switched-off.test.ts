import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSwitchedOn } from '../../domain/managers/controller-list.js';
import { clusterOwner, managerProcesses } from '../../domain/ownership/owners.js';
import type { ClusterObservation, ManagerConfig } from '../../domain/observation/observation.js';
import { previewPlan } from '../../domain/model/plan-preview.js';
import { CLOUD_CONTROLLERS } from '../../domain/vocabulary.js';
import { clusterOf, policyOf } from '../support/cluster-builder.js';
import { walk } from './random-walk.js';

/** A cluster of in-tree KCMs, all with these settings. */
function source(size: number, change: Partial<ManagerConfig>): ClusterObservation {
  const cluster = clusterOf({
    nodes: Array.from({ length: size }, () => ({ kcm: 'inTree', ccm: 'none' }) as const),
    kcmLeader: 0,
    ccmLeader: 'free',
    migration: 'free',
  });
  const nodes = cluster.nodes.map((node) => {
    const { manifest, processes } = node.kcm;
    if (manifest.state !== 'present') throw new Error('no manifest');
    const config = { ...manifest.config, ...change };
    const kcm = {
      manifest: { ...manifest, config },
      processes: processes.map((one) => ({ ...one, config })),
    };
    return { ...node, kcm };
  });
  return { ...cluster, nodes, baseline: null };
}

function configs({ nodes }: ClusterObservation, manager: 'kcm' | 'ccm'): readonly ManagerConfig[] {
  return nodes.flatMap((node) => {
    const { manifest, processes } = node[manager];
    const onDisk = manifest.state === 'present' ? [manifest.config] : [];
    return [...onDisk, ...processes.map(({ config }) => config)];
  });
}

const switches = fc.constantFrom<Partial<ManagerConfig>>(
  { controllers: '*,-service' },
  { controllers: '*,-service-lb-controller' },
  { controllers: '*,-cloud-node-lifecycle' },
  { controllers: '*,-service,-cloud-node-lifecycle' },
  { controllers: '*,-service,-cloud-node-lifecycle', routes: false },
  { controllers: '*,-service', routes: false },
);
const strategy = fc.constantFrom('leaderMigration', 'gap');

describe('a KCM with cloud controllers switched off', () => {
  const off = (list: string | undefined): readonly string[] =>
    (['service', 'cloud-node-lifecycle'] as const).filter((one) => !isSwitchedOn(list ?? '*', one));

  it('is planned forward and back, and no CCM ever runs what was off', () => {
    fc.assert(
      fc.property(switches, strategy, fc.constantFrom(1, 2, 3), (change, name, size) => {
        const policy = policyOf({ strategy: name });
        const start = source(size, change);
        const there = previewPlan(start, 'ccm', policy);
        expect(there.ending.kind).toBe('done');
        const arrived = there.steps.at(-1)?.before ?? start;
        const back = previewPlan(arrived, 'kcm', policy);
        expect(back.ending.kind).toBe('done');
        const all = [...there.steps, ...back.steps].map(({ before }) => before);
        for (const config of all.flatMap((one) => configs(one, 'ccm'))) {
          expect(off(config.controllers)).toEqual(off(change.controllers));
        }
        for (const config of all.flatMap((one) => configs(one, 'kcm'))) {
          expect(config.controllers).toBe(change.controllers);
        }
      }),
    );
  });

  it('migrates forward and back whatever crashes and whichever process is elected', () => {
    const choices = fc.array(fc.nat(20), { maxLength: 60 });
    fc.assert(
      fc.property(switches, strategy, choices, choices, (change, name, first, second) => {
        const policy = policyOf({ strategy: name });
        const there = walk(source(3, change), { target: 'ccm', policy, choices: first, faults: 1 });
        expect(there).toMatchObject({ kind: 'done' });
        if (there.kind !== 'done') return;
        expect(clusterOwner(there.observation, policy.lock.controllers)).toBe('ccm');
        const back = walk(there.observation, { target: 'kcm', policy, choices: second, faults: 1 });
        expect(back).toMatchObject({ kind: 'done' });
        if (back.kind !== 'done') return;
        expect(clusterOwner(back.observation, policy.lock.controllers)).toBe('kcm');
        expect(managerProcesses(back.observation).map(({ manager }) => manager)).toEqual(
          Array(3).fill('kcm'),
        );
        expect(configs(back.observation, 'kcm').map(({ controllers }) => controllers)).toEqual(
          Array(6).fill(change.controllers),
        );
      }),
      { numRuns: 300, seed: 20261123 },
    );
  });

  it('keeps node IPAM off, forward and back', () => {
    const policy = policyOf({
      lock: { ...policyOf().lock, controllers: CLOUD_CONTROLLERS },
    });
    const start = source(3, { controllers: '*,-nodeipam' });
    const there = previewPlan(start, 'ccm', policy);
    expect(there.ending.kind).toBe('done');
    const back = previewPlan(there.steps.at(-1)?.before ?? start, 'kcm', policy);
    expect(back.ending.kind).toBe('done');
    for (const config of back.steps.flatMap(({ before }) => configs(before, 'kcm'))) {
      expect(config.controllers).toBe('*,-nodeipam');
    }
  });
});
