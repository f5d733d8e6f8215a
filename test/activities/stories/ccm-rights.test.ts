import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readCcmDenied } from '../../../activities/observe/read-access.js';
import { inspectCluster } from '../../../activities/inspection.js';
import { blocksRun, preflight } from '../../../domain/preflight/preflight.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { TIMINGS } from '../run-context.js';
import { simulatorPolicy } from '../simulator-policy.js';
import { openStage, type Stage } from '../stage.js';

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
  let stage: Stage;
  const { source, ccm } = simulatorPolicy();
  const secrets = {
    ...{ namespace: 'acme', apiGroups: [''], resources: ['secrets'] },
    ...{ resourceNames: ['token'], verbs: ['get'] },
  };
  beforeEach(async () => {
    stage = await openStage({
      spec: { nodes: 1 },
      policy: {
        source: { ...source, cloudProvider: 'vsphere' },
        ccm: { ...ccm, ...NEWER, accessRules: [secrets] },
      },
    });
    await stage.ports.api.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'acme' },
    });
    await stage.fence();
  });
  afterEach(() => stage.close());

  const denied = (): Promise<readonly string[] | null> =>
    readCcmDenied(
      stage.ports.api,
      { policy: stage.context.policy, serviceAccountCredentials: false },
      {},
    );

  it('the rights of a CCM are complete once they are granted, those of its provider and of the policy too', async () => {
    expect(await denied()).toEqual(
      expect.arrayContaining(['list secrets in kube-system', 'get secrets token in acme']),
    );
    await stage.take(GRANT);
    expect(await denied()).toEqual([]);
    const { observation } = await stage.look();
    expect(observation.access.ccmAccess).toBe('present');
  });

  it('the rights of a CCM are proven before it starts: the step reports which one is refused', async () => {
    await stage.ports.api.remove(DELEGATOR);
    await expect(stage.take(GRANT)).rejects.toThrow(
      /create subjectaccessreviews \(ClusterRoleBinding to ClusterRole system:auth-delegator\) \(CCM1402\)/,
    );
  });

  it('the rights of a CCM are checked again by check and plan, as an error that names what is missing', async () => {
    await stage.take(GRANT);
    const inspect = () => inspectCluster(stage.ports, { ...stage.context, clock: stage.clock });
    expect((await inspect()).ccmDenied).toEqual([]);
    // The binding exists, but its role is gone: every object of ours is as it was written.
    await stage.ports.api.remove(DELEGATOR);
    const { look, ccmDenied } = await inspect();
    const findings = preflight(look.observation, stage.context.policy, {
      ccmDenied: ccmDenied ?? [],
    });
    expect(findings.filter(({ code }) => code === 'CCM1402').map(({ seen }) => seen)).toEqual([
      'create tokenreviews (ClusterRoleBinding to ClusterRole system:auth-delegator), ' +
        'create subjectaccessreviews (ClusterRoleBinding to ClusterRole system:auth-delegator)',
    ]);
    expect(findings.filter(({ code }) => code === 'CCM1402').every(blocksRun)).toBe(true);
  });

  it('the worker checks the rights of a CCM before a run that targets CCM, and not during rollback', async () => {
    await stage.take(GRANT);
    await stage.ports.api.remove(DELEGATOR);
    const { activities, context, ccmManifest } = stage;
    const objections = async (target: 'ccm' | 'kcm'): Promise<readonly string[]> => {
      const { objections: found } = await activities.checkStart({
        ...{ ...context, timings: TIMINGS, epoch: 1, sightings: [], early: false },
        materials: { ccmManifest },
        decide: { ...NO_JUDGEMENTS, target, revision: 1 },
      });
      return found.map(({ code }) => code);
    };
    expect(await objections('ccm')).toContain('CCM1402');
    expect(await objections('kcm')).not.toContain('CCM1402');
  });

  it('the rights of a CCM are not checked before anything was granted', async () => {
    const { ccmDenied } = await inspectCluster(stage.ports, {
      ...stage.context,
      clock: stage.clock,
    });
    expect(ccmDenied).toBeNull();
  });
});

describe('a CCM that may not create token reviews', () => {
  let stage: Stage;
  afterEach(() => stage.close());

  it('refuses its metrics, and the finding names what is missing', async () => {
    stage = await openStage({ spec: { nodes: 1 } });
    await stage.migrate('ccm');
    expect(await stage.ports.processes.metrics('cp-1', 'ccm')).toContain('leader_election');
    await stage.ports.api.remove(DELEGATION);
    await expect(stage.ports.processes.metrics('cp-1', 'ccm')).rejects.toThrow(
      /answered 500: Internal Server Error: "\/metrics": subjectaccessreviews\.authorization\.k8s\.io is forbidden: User "system:cloud-controller-manager" cannot create/,
    );
    const { elections } = await stage.ports.processes.snapshot('cp-1', {
      files: [],
      directories: [],
    });
    expect(elections).toMatchObject({ ccm: null, kcm: expect.any(String) });
  });
});
