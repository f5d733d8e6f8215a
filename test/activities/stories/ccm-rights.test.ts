import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readCcmDenied } from '../../../activities/observe/read-access.js';
import { inspectCluster } from '../../../activities/inspection.js';
import { blocksRun, preflight } from '../../../domain/preflight/preflight.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { TIMINGS } from '../run-context.js';
import { simulatorPolicy } from '../simulator-policy.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const RBAC = 'rbac.authorization.k8s.io/v1';
const DELEGATOR = { apiVersion: RBAC, kind: 'ClusterRole', name: 'system:auth-delegator' };
const DELEGATION = {
  ...{ apiVersion: RBAC, kind: 'ClusterRoleBinding' },
  name: 'ccm-migrate-cloud-controller-manager-delegation',
};
/** The first version of vSphere's CCM that reads the Secrets of one namespace only. */
const NEWER = { version: '1.32.0', image: 'registry.k8s.io/cloud-controller-manager:v1.32.0' };
const GRANT = { kind: 'setAccess', access: 'ccmAccess', want: 'present' } as const;

describe('the rights of a CCM', () => {
  let environment: Environment;
  const { source, ccm } = simulatorPolicy();
  const secrets = {
    ...{ namespace: 'acme', apiGroups: [''], resources: ['secrets'] },
    ...{ resourceNames: ['token'], verbs: ['get'] },
  };
  beforeEach(async () => {
    environment = await openEnvironment({
      spec: { nodes: 1 },
      policy: {
        source: { ...source, cloudProvider: 'vsphere' },
        ccm: { ...ccm, ...NEWER, accessRules: [secrets] },
      },
    });
    await environment.ports.api.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'acme' },
    });
    await environment.fence();
  });
  afterEach(() => environment.close());

  const denied = (): Promise<readonly string[] | null> =>
    readCcmDenied(
      environment.ports.api,
      { policy: environment.context.policy, serviceAccountCredentials: false },
      {},
    );

  it('the rights of a CCM are complete once they are granted, those of its provider and of the policy too', async () => {
    expect(await denied()).toEqual(
      expect.arrayContaining(['list secrets in kube-system', 'get secrets token in acme']),
    );
    await environment.take(GRANT);
    expect(await denied()).toEqual([]);
    const { observation } = await environment.snapshot();
    expect(observation.access.ccmAccess).toBe('present');
  });

  it('the rights of a CCM are proven before it starts: the step reports which one is refused', async () => {
    await environment.ports.api.remove(DELEGATOR);
    await expect(environment.take(GRANT)).rejects.toThrow(
      /create subjectaccessreviews \(ClusterRoleBinding to ClusterRole system:auth-delegator\) \(CCM1402\)/,
    );
  });

  it('the rights of a CCM are checked again by check and plan, as an error that names what is missing', async () => {
    await environment.take(GRANT);
    const inspect = () =>
      inspectCluster(environment.ports, { ...environment.context, clock: environment.clock });
    expect((await inspect()).ccmDenied).toEqual([]);
    // The binding exists, but its role is gone: every object of ours is as it was written.
    await environment.ports.api.remove(DELEGATOR);
    const { snapshot, ccmDenied } = await inspect();
    const findings = preflight(snapshot.observation, environment.context.policy, {
      ccmDenied: ccmDenied ?? [],
    });
    expect(findings.filter(({ code }) => code === 'CCM1402').map(({ seen }) => seen)).toEqual([
      'create tokenreviews (ClusterRoleBinding to ClusterRole system:auth-delegator), ' +
        'create subjectaccessreviews (ClusterRoleBinding to ClusterRole system:auth-delegator)',
    ]);
    expect(findings.filter(({ code }) => code === 'CCM1402').every(blocksRun)).toBe(true);
  });

  it('the worker checks the rights of a CCM before a run that targets CCM, and not during rollback', async () => {
    await environment.take(GRANT);
    await environment.ports.api.remove(DELEGATOR);
    const { activities, context, ccmManifest } = environment;
    const objections = async (target: 'ccm' | 'kcm'): Promise<readonly string[]> => {
      const { objections: found } = await activities.checkStart({
        ...{ ...context, timings: TIMINGS, epoch: 1, firstSeen: [], early: false },
        materials: { ccmManifest },
        decide: { ...NO_JUDGEMENTS, target, revision: 1 },
      });
      return found.map(({ code }) => code);
    };
    expect(await objections('ccm')).toContain('CCM1402');
    expect(await objections('kcm')).not.toContain('CCM1402');
  });

  it('the rights of a CCM are not checked before anything was granted', async () => {
    const { ccmDenied } = await inspectCluster(environment.ports, {
      ...environment.context,
      clock: environment.clock,
    });
    expect(ccmDenied).toBeNull();
  });
});

describe('a CCM that may not create token reviews', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  it('refuses its metrics, and the finding names what is missing', async () => {
    environment = await openEnvironment({ spec: { nodes: 1 } });
    await environment.migrate('ccm');
    expect(await environment.ports.processes.metrics('cp-1', 'ccm')).toContain('leader_election');
    await environment.ports.api.remove(DELEGATION);
    await expect(environment.ports.processes.metrics('cp-1', 'ccm')).rejects.toThrow(
      /answered 500: Internal Server Error: "\/metrics": subjectaccessreviews\.authorization\.k8s\.io is forbidden: User "system:cloud-controller-manager" cannot create/,
    );
    const { elections } = await environment.ports.processes.snapshot('cp-1', {
      files: [],
      directories: [],
    });
    expect(elections).toMatchObject({ ccm: null, kcm: expect.any(String) });
  });
});
