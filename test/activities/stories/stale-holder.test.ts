import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import type { ClusterPorts, HostState } from '../../../activities/ports.js';
import { failure } from '../../../activities/failures.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import { nextStep } from '../../../domain/decision/next-step.js';
import type { StepEffect } from '../../../domain/decision/step.js';
import { driveRun } from '../../faults/drive-run.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(180_000);

const MIGRATION = 'cloud-provider-extraction-migration';
const IN_PLACE = { forward: 'inPlace', rollback: 'inPlace' } as const;
/** The guard's rounds take no simulated time, so a renewal is due as often as in production. */
const TIMINGS = { fenceRenewMs: 5000 };

let environment: Environment;
afterEach(() => environment.close());

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'kube-system' };

async function holder(lease: string): Promise<string> {
  const found = await environment.ports.api.get<LeaseObject>({ ...LEASE, name: lease });
  return found?.object.spec?.holderIdentity ?? '';
}

async function nodeOf(lease: string): Promise<string> {
  return (await holder(lease)).split('_')[0] ?? '';
}

const overlap = (): number => environment.cluster.truth().controllers.service.overlapSeconds;

function endings(records: readonly EvidenceRecord[]): readonly string[] {
  const ids = new Map<string, string>();
  for (const { entry } of records) {
    if (entry.kind === 'intent' && entry.intent.verb === 'endProcess') {
      ids.set(entry.intent.id, entry.intent.object.split('/')[0] ?? '');
    }
  }
  return records.flatMap(({ entry }) =>
    entry.kind === 'outcome' && ids.has(entry.intentId)
      ? [`${ids.get(entry.intentId) ?? ''} ${entry.outcome.kind}`]
      : [],
  );
}

const PAUSED_AFTER_MS = 20_000;

/** Stops the owner of the cloud controllers in the middle of the run, and lets it go on once another one is the holder. */
async function pauseOwner(
  afterMs: number,
): Promise<{ readonly node: string; readonly pid: number }> {
  await environment.clock.sleep(afterMs);
  const before = await holder(MIGRATION);
  const node = await nodeOf(MIGRATION);
  const owner = environment.cluster
    .node(node)
    ?.host()
    .processes.find(({ manager }) => manager === 'kcm');
  environment.cluster.pauseProcess(node, 'kcm');
  for (let seconds = 0; ['', before].includes(await holder(MIGRATION)); seconds += 1) {
    if (seconds > 60) throw new Error('no other process took the Lease');
    await environment.clock.sleep(1000);
  }
  await environment.clock.sleep(5000);
  environment.cluster.resumeProcess(node, 'kcm');
  return { node, pid: owner?.pid ?? 0 };
}

describe('an owner that a signal stops in a run', () => {
  it('is ended under `kill`: never two owners, and the run goes on without a person', async () => {
    environment = await openEnvironment({
      policy: { nodes: IN_PLACE, staleHolder: 'kill' },
      timings: TIMINGS,
    });
    const { context, ccmManifest, dependencies } = environment;
    const pausing = environment.takePart(() => pauseOwner(PAUSED_AFTER_MS));
    const course = { target: 'ccm', runId: 'run-1', ccmManifest, mostHolds: 0 } as const;
    const { outcome, holds, breaches, state } = await driveRun(environment, course);
    const { node, pid } = await pausing;
    expect({ kind: outcome.kind, holds, breaches }).toEqual({
      ...{ kind: 'done', holds: [], breaches: [] },
    });
    expect(state.done.steps.map(({ name }) => name)).toContain('endPausedManager');
    const workflowId = `${context.workflowId}/run-1`;
    const records = await dependencies.evidence.read({ workflowId, runId: 'run-1' });
    expect(endings(records)).toEqual([`Process ${node} applied`]);
    const left = environment.cluster.node(node)?.host().processes ?? [];
    expect(left.map((process) => process.pid)).not.toContain(pid);
    expect(overlap()).toBe(0);
  });

  it('stops every step under `hold`: what continues the process makes it a second owner', async () => {
    environment = await openEnvironment({ policy: { nodes: IN_PLACE, staleHolder: 'hold' } });
    const { context } = environment;
    await environment.fence();
    // Up to the first CCM: then two processes compete for the migration Lease.
    for (let name = ''; name !== 'startCcm';) {
      const decision = nextStep((await environment.snapshot()).observation, 'ccm', context.policy);
      if (decision.kind !== 'step') throw new Error(JSON.stringify(decision));
      ({ name } = decision.step);
      await environment.take(decision.step.effect, decision.step);
    }
    const pausing = environment.takePart(() => pauseOwner(0));
    // Beside the pause, virtual time waits for what takes part only.
    const { observation } = await environment.takePart(async () => {
      await environment.clock.sleep(2000);
      return environment.snapshot();
    });
    expect(nextStep(observation, 'ccm', context.policy)).toMatchObject({
      findings: [{ code: 'CCM2010' }],
    });
    const other: StepEffect = { kind: 'setAccess', access: 'leaseGrant', want: 'present' };
    const refused = environment.takePart(() => environment.take(other));
    await expect(refused).rejects.toMatchObject({ type: 'GateFailed' });
    await pausing;
    await environment.clock.sleep(15_000);
    expect(overlap()).toBeGreaterThan(5);
    expect(endings(await environment.evidence())).toEqual([]);
  });
});

describe('a step that ends a paused manager', () => {
  /** What happens between its first observation and its signal. */
  let meanwhile: (host: HostState) => HostState = (host) => host;
  let kill: (() => Promise<void>) | null = null;

  const wrap = (ports: ClusterPorts): ClusterPorts => ({
    ...ports,
    processes: {
      ...ports.processes,
      host: async (node, options) => meanwhile(await ports.processes.host(node, options)),
      kill: async (...request) => {
        await ports.processes.kill(...request);
        await kill?.();
      },
    },
  });

  const paused = async (): Promise<StepEffect & { kind: 'endPausedManager' }> => {
    meanwhile = (host) => host;
    kill = null;
    environment = await openEnvironment({ wrap, policy: { staleHolder: 'kill' } });
    await environment.fence();
    await environment.snapshot();
    const node = await nodeOf('kube-controller-manager');
    environment.cluster.pauseProcess(node, 'kcm');
    return { kind: 'endPausedManager', node, manager: 'kcm' };
  };
  const REPAIR = { name: 'endPausedManager', phase: 'repair', cures: ['CCM3008'] } as const;
  const pids = ({ node }: { readonly node: string }): readonly number[] =>
    (environment.cluster.node(node)?.host().processes ?? []).map(({ pid }) => pid);

  it('ends it and names the reason; taken again it changes nothing', async () => {
    const effect = await paused();
    const before = pids(effect);
    const report = await environment.take(effect, REPAIR);
    expect(report.summary).toMatchObject({ mutations: 1 });
    expect(report.summary.detail).toContain('paused kcm of');
    expect(pids(effect)).not.toEqual(before);
    expect(await environment.take(effect, REPAIR)).toMatchObject({ summary: { mutations: 0 } });
    const [intent] = (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'intent' && entry.intent.verb === 'endProcess' ? [entry.intent] : [],
    );
    expect(intent?.object).toBe(`Process ${effect.node}/${String(before[0])}`);
    expect(intent?.proof).toContain('stopped by a signal');
    // The kubelet restarts the container: another process.
    await environment.clock.sleep(30_000);
    expect(pids(effect)).toHaveLength(1);
    expect(pids(effect)).not.toEqual(before);
  });

  it('finds out by itself when the answer is lost', async () => {
    const effect = await paused();
    kill = () => Promise.reject(failure('Unavailable', 'the connection was lost'));
    const report = await environment.take(effect, REPAIR);
    expect(report.summary).toMatchObject({ mutations: 1 });
    expect(endings(await environment.evidence())).toEqual([`Process ${effect.node} foundApplied`]);
  });

  const one = (change: Partial<HostState['processes'][number]>) => (host: HostState) => ({
    ...host,
    processes: host.processes.map((process) => ({ ...process, ...change })),
  });

  it.each<[string, (host: HostState) => HostState, string]>([
    ['it has ended', (host) => ({ ...host, processes: [] }), 'it has ended'],
    [
      'two processes have its id',
      (host) => ({ ...host, processes: [...host.processes, ...host.processes] }),
      'no longer its own',
    ],
    ['another manager has its id', one({ manager: 'ccm' }), 'no longer its own'],
    ['another start', one({ startedAtMs: 1 }), 'started at another time'],
    ['no start is reported', one({ startTicks: null }), 'reports no start'],
    ['it woke up', one({ paused: false }), 'it runs again'],
  ])('leaves it alone when this is read right before: %s', async (_name, change, why) => {
    const effect = await paused();
    const before = pids(effect);
    meanwhile = change;
    await expect(environment.take(effect, REPAIR)).rejects.toMatchObject({
      type: 'PreconditionFailed',
      message: expect.stringContaining(why),
    });
    expect(pids(effect)).toEqual(before);
    expect(endings(await environment.evidence())).toEqual([]);
  });

  it('asks the rule again: one whose Leases have no holder is left alone', async () => {
    const effect = await paused();
    const before = pids(effect);
    for (const name of [MIGRATION, 'kube-controller-manager']) {
      await environment.ports.api.remove({ ...LEASE, name });
    }
    // Before a standby takes it again.
    await expect(environment.take(effect, REPAIR)).rejects.toMatchObject({
      message: expect.stringContaining('none of its Leases has a holder'),
    });
    expect(pids(effect)).toEqual(before);
  });

  it('waits until its host shows it no more', async () => {
    const effect = await paused();
    const [pid] = pids(effect);
    let shows = 0;
    let seen: HostState['processes'] = [];
    meanwhile = (host) => {
      const found = host.processes.filter((process) => process.pid === pid);
      if (found.length > 0) seen = found;
      shows += 1;
      return shows < 4 ? { ...host, processes: seen } : host;
    };
    await environment.take(effect, REPAIR);
    expect(shows).toBe(4);
  });

  it('leaves it alone when it wakes at the last moment', async () => {
    const effect = await paused();
    const before = pids(effect);
    meanwhile = (host) => {
      environment.cluster.resumeProcess(effect.node, 'kcm');
      return host;
    };
    await expect(environment.take(effect, REPAIR)).rejects.toMatchObject({
      type: 'PreconditionFailed',
    });
    expect(pids(effect)).toEqual(before);
    expect(endings(await environment.evidence())).toEqual([`Process ${effect.node} refused`]);
  });

  it('is refused by a policy that holds, and on a node out of reach', async () => {
    const effect = await paused();
    const before = pids(effect);
    Object.assign(environment.context, {
      policy: { ...environment.context.policy, staleHolder: 'hold' },
    });
    await expect(environment.take(effect, REPAIR)).rejects.toMatchObject({
      message: expect.stringContaining('its policy does not end paused managers'),
    });
    Object.assign(environment.context, {
      policy: { ...environment.context.policy, staleHolder: 'kill' },
    });
    environment.cluster.partitionNode(effect.node);
    await expect(environment.take(effect, REPAIR)).rejects.toMatchObject({
      type: 'PreconditionFailed',
    });
    expect(pids(effect)).toEqual(before);
  });
});
