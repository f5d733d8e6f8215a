import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { failure, failureTypeOf } from '../../../activities/failures.js';
import { objectName } from '../../../activities/fence/find-effect.js';
import { readObjects } from '../../../activities/observe/read-objects.js';
import type { ApiObject, ClusterPorts } from '../../../activities/ports.js';
import { type CleanedProbe, cleanProbe } from '../../../activities/clean-probe.js';
import type { StepEffect } from '../../../domain/decision/step.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import { PROBE_NAMESPACE, PROBE_SERVICE } from '../../../domain/probes/balancer-probe.js';
import { driveRun } from '../../faults/drive-run.js';
import { openEnvironment, type Environment, type EnvironmentOptions } from '../environment.js';

jest.setTimeout(300_000);

const ANNOTATIONS = { 'cloud.example/internal': 'true' };
const PROBES = { balancer: { annotations: ANNOTATIONS, withinMs: 60_000 } };
const BEFORE: StepEffect = {
  ...{ kind: 'probeBalancer', moment: 'before', owner: 'kcm', earlier: null },
};

const AFTER: StepEffect = {
  ...{ kind: 'probeBalancer', moment: 'after', owner: 'ccm', earlier: null },
};

let environment: Environment;
afterEach(() => environment.close());

async function opened(options: EnvironmentOptions = {}): Promise<void> {
  environment = await openEnvironment({
    ...{ spec: { nodes: 2 }, timings: { guardMs: 1000, fenceRenewMs: 5000 } },
    ...options,
    policy: { probes: PROBES, ...options.policy },
  });
  await environment.ports.api.create(namespace(PROBE_NAMESPACE));
}

function namespace(name: string): ApiObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

const probeService = (): Promise<unknown> => environment.ports.api.get(PROBE_SERVICE);
const cleaned = (): Promise<CleanedProbe> =>
  cleanProbe(environment.ports.api, {
    ...{ timings: environment.context.timings, withinMs: 60_000 },
    ...{ signal: new AbortController().signal, clock: environment.clock },
  });
const faults = (...found: readonly unknown[]): Promise<unknown> =>
  environment.control('POST', 'cloud-faults', { faults: found });

function verdictOf(verdicts: readonly GateVerdict[]): string | undefined {
  return verdicts.find(({ gate }) => gate === 'balancerProbe')?.verdict;
}

function namesIn(records: readonly EvidenceRecord[]): readonly string[] {
  return records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent.object] : []));
}

/** Objects of intents without an outcome. */
function openIntents(records: readonly EvidenceRecord[]): readonly string[] {
  const ended = new Set(
    records.flatMap(({ entry }) => (entry.kind === 'outcome' ? [entry.intentId] : [])),
  );
  return records.flatMap(({ entry }) =>
    entry.kind === 'intent' && !ended.has(entry.intent.id) ? [entry.intent.object] : [],
  );
}

function course(target: 'ccm' | 'kcm', runId: string, mostHolds = 0) {
  return { target, runId, ccmManifest: environment.ccmManifest, mostHolds } as const;
}

describe('probes of a run', () => {
  it('come before its first change and once the target is reached, and leave nothing', async () => {
    await opened();
    const { outcome, state, breaches } = await driveRun(environment, course('ccm', 'run-1'));
    expect({ kind: outcome.kind, breaches }).toEqual({ kind: 'done', breaches: [] });
    const names = state.done.steps.map(({ name }) => name);
    expect(names[0]).toBe('probeBalancer');
    expect(names.slice(-2)).toEqual(['probeBalancer', 'verify']);
    expect(names.filter((name) => name === 'probeBalancer')).toHaveLength(2);
    expect(state.done.steps.at(-2)?.detail).toMatch(
      /^load balancer: address after [\d.]+ s \(before: [\d.]+ s\), port changed after [\d.]+ s \(before: [\d.]+ s\), deleted after [\d.]+ s \(before: [\d.]+ s\)$/,
    );
    expect(await probeService()).toBeNull();
  });

  it('say which Event tells of the failure, and leave nothing', async () => {
    await opened();
    await environment.fence();
    await faults({ controller: 'service', op: 'EnsureLoadBalancer', cloud: 'fail' });
    const { verdicts, probe } = await environment.take(BEFORE);
    expect(verdicts.find(({ gate }) => gate === 'balancerProbe')).toMatchObject({
      ...{ verdict: 'fail', code: 'CCM3107', hardness: 'soft' },
      detail: expect.stringMatching(
        /^a new Service got no load balancer within 60 s: SyncLoadBalancerFailed /,
      ),
    });
    expect(probe).toMatchObject({ addressMs: null, changeMs: null });
    expect(await probeService()).toBeNull();
  });

  it('that fail after the handover turn the run around where its policy says so', async () => {
    await opened({ policy: { onBreach: 'rollBack' } });
    await faults({
      controller: 'service',
      manager: 'ccm',
      op: 'EnsureLoadBalancer',
      cloud: 'fail',
    });
    const { outcome, state } = await driveRun(environment, course('ccm', 'run-1'));
    expect(outcome.kind).toBe('rolledBack');
    expect(state.direction.reason).toContain('balancerProbe (CCM3106)');
    const probes = state.done.steps.filter(({ name }) => name === 'probeBalancer');
    // Before it, after the handover, and of the KCMs that have it back.
    expect(probes.map(({ phase }) => phase)).toEqual(['preflight', 'verify', 'verify']);
    expect(await probeService()).toBeNull();
  });

  it('say so of a change of the port that no one follows', async () => {
    const wrap = ({ api, ...ports }: ClusterPorts): ClusterPorts => ({
      ...ports,
      api: {
        ...api,
        mergePatch: async (ref, ...call) => {
          if (ref.kind === 'Service') {
            await faults({ controller: 'service', op: 'EnsureLoadBalancer', cloud: 'fail' });
          }
          // Handed on as it comes.
          return api.mergePatch(ref, ...call) as never;
        },
      },
    });
    await opened({ wrap });
    await environment.fence();
    const { verdicts, probe } = await environment.take(BEFORE);
    expect(verdictOf(verdicts)).toBe('fail');
    expect(probe).toMatchObject({ addressMs: expect.any(Number), changeMs: null });
    expect(await probeService()).toBeNull();
  });

  it('whose new owner can do nothing at all turn the run around, and the KCM deletes what is left', async () => {
    await opened({ policy: { onBreach: 'rollBack' } });
    await faults({ controller: 'service', manager: 'ccm', cloud: 'fail' });
    const { outcome, state } = await driveRun(environment, course('ccm', 'run-1'));
    expect(outcome.kind).toBe('rolledBack');
    expect(state.direction.reason).toContain(
      'a new Service got no load balancer, and was not deleted within 60 s: SyncLoadBalancerFailed ',
    );
    expect(await probeService()).toBeNull();
  });

  it('are no part of inventories and of gates on objects', async () => {
    await opened();
    const before = (await environment.snapshot()).observation.inventory;
    const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
    const { apiVersion, kind, namespace: own, name } = PROBE_SERVICE;
    await environment.ports.api.create({
      ...{ apiVersion, kind, metadata: { namespace: own, name }, spec },
    });
    await environment.clock.sleep(30_000);
    await environment.fence();
    expect((await environment.snapshot()).observation.inventory).toEqual(before);
    const reading = await readObjects(environment.ports.api, {
      ...{ signal: new AbortController().signal, timeoutMs: 10_000, successes: 'always' },
    });
    if (reading.kind !== 'measured') throw new Error(reading.why);
    expect(reading.value.services.map((each) => each.name)).not.toContain(`${own}/${name}`);
  });

  it('need an owner: while no one, or another, owns the cloud controllers nothing is made', async () => {
    await opened();
    await environment.fence();
    const early = environment.take(AFTER);
    await expect(early).rejects.toMatchObject({ type: 'PreconditionFailed' });
    expect(await probeService()).toBeNull();
    expect(namesIn(await environment.evidence())).not.toContain(objectName(PROBE_SERVICE));
  });
});

describe('what is already there', () => {
  it('is never touched where it is not ours', async () => {
    await opened();
    await environment.fence();
    const { apiVersion, kind, namespace: own, name } = PROBE_SERVICE;
    await environment.ports.api.create({
      ...{ apiVersion, kind, metadata: { namespace: own, name } },
      ...{ spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } },
    });
    const refused = { type: 'ForeignEdit', message: expect.stringContaining('is not ours') };
    await expect(environment.take(BEFORE)).rejects.toMatchObject(refused);
    await expect(cleaned()).rejects.toMatchObject(refused);
    expect(await probeService()).not.toBeNull();
  });

  it('without an owner of the service controller stays, and the step says why', async () => {
    await opened();
    await environment.fence();
    await faults({ controller: 'service', op: 'EnsureLoadBalancerDeleted', cloud: 'fail' });
    await expect(environment.take(BEFORE)).rejects.toMatchObject({
      type: 'EffectNotSeen',
      message: expect.stringMatching(/was not deleted within 60 s: its finalizer waits/),
    });
    await faults();
    // The next attempt waits for that deletion first.
    const { verdicts } = await environment.take(BEFORE);
    expect(verdictOf(verdicts)).toBe('pass');
    expect(await probeService()).toBeNull();
  });
});

describe('a worker that dies in a probe', () => {
  interface Strike {
    at: number;
    /** Whether the API server still carries out the request that it dies in. */
    carried: boolean;
  }
  let strike: Strike = { at: Infinity, carried: false };
  /** Verbs of the requests since it was emptied. */
  let requests: string[] = [];

  const dying = <T>(verb: string, act: () => Promise<T>): Promise<T> => {
    requests.push(verb);
    const gone = (): Promise<never> => Promise.reject(failure('Unreachable', 'the worker is gone'));
    if (requests.length < strike.at) return act();
    return requests.length === strike.at && strike.carried ? act().then(gone) : gone();
  };
  const wrap = ({ api, ...ports }: ClusterPorts): ClusterPorts => ({
    ...ports,
    api: {
      ...api,
      get: (...call) => dying('get', () => api.get(...call)),
      list: (...call) => dying('list', () => api.list(...call)),
      create: (...call) => dying('create', () => api.create(...call)),
      mergePatch: (...call) => dying('patch', () => api.mergePatch(...call)),
      remove: (...call) => dying('delete', () => api.remove(...call)),
    },
  });

  it.each([false, true])(
    'leaves nothing, at each of its requests (carried out: %s)',
    async (carried) => {
      strike = { at: Infinity, carried };
      await opened({ wrap, spec: { nodes: 1, workers: 1 } });
      await environment.fence();
      requests = [];
      await environment.take(BEFORE);
      const all = requests.length;
      expect(all).toBeGreaterThan(10);
      for (let at = 1; at <= all; at += 1) {
        requests = [];
        strike = { at, carried };
        const died = await environment.take(BEFORE).then(
          () => null,
          (error: unknown) => failureTypeOf(error),
        );
        expect(['Unreachable', 'EffectNotSeen', null]).toContain(died);
        strike = { at: Infinity, carried };
        // Another worker takes the step again, in a new epoch.
        await environment.fence();
        const { verdicts } = await environment.take(BEFORE);
        expect([at, verdictOf(verdicts)]).toEqual([at, 'pass']);
        expect([at, await probeService()]).toEqual([at, null]);
      }
      const open = openIntents(await environment.evidence());
      expect(open).toEqual([]);
    },
  );

  it.each([
    ['the end of its run deletes what it left', 'close'],
    ['`probe clean` does it where the run was ended by force', 'clean'],
  ] as const)('%s', async (_, by) => {
    strike = { at: Infinity, carried: true };
    await opened({ wrap });
    const { epoch } = await environment.fence();
    requests = [];
    await environment.take(BEFORE);
    strike = { at: requests.indexOf('create') + 1, carried: true };
    requests = [];
    await expect(environment.take(BEFORE)).rejects.toThrow(/the worker is gone/);
    strike = { at: Infinity, carried: true };
    expect(await probeService()).not.toBeNull();
    if (by === 'close') {
      await environment.activities.closeRun({ ...environment.context, epoch, outcome: 'stopped' });
      await environment.clock.sleep(30_000);
    } else {
      await expect(cleaned()).rejects.toMatchObject({ type: 'AlreadyRunning' });
      environment.standIn.present = false;
      await environment.clock.sleep(15 * 60_000);
      expect(await cleaned()).toBe('deleted');
    }
    expect(await probeService()).toBeNull();
    expect(await cleaned()).toBe('absent');
  });
});
