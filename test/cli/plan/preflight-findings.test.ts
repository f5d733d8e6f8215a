import { expect, it } from '@jest/globals';
import type { Inspection } from '../../../activities/inspection.js';
import { preflightFindings } from '../../../cli/plan/inspect-cluster.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';

const KCM = `apiVersion: v1
kind: Pod
spec:
  containers:
    - name: kube-controller-manager
      image: kcm:v1.29.15
      command: [kube-controller-manager, --cloud-provider=labcloud, --log-dir=/logs]
`;

const OBSERVATION = clusterOf({
  nodes: [{ kcm: 'inTree', ccm: 'none' }],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: 'free',
});

it('check and plan report which KCM settings are dropped, and why', () => {
  const inspection: Inspection = {
    snapshot: { observation: OBSERVATION, firstSeen: [] },
    manifests: { 'cp-1': { kcm: KCM }, 'cp-2': {} },
    baseline: null,
    clusterConfiguration: null,
    ccmDenied: null,
    probeRefused: null,
    gatesUnread: [],
    beside: {},
  };
  const findings = preflightFindings(
    { inspection, notChecked: [] },
    { policy: policyOf(), materials: { ccmManifest: KCM } },
  );
  expect(findings.filter(({ code }) => code === 'CCM1109')).toMatchObject([
    {
      severity: 'warning',
      subject: 'kube-controller-manager of cp-1',
      seen: '--log-dir=/logs (refused since 1.26)',
    },
  ]);
});

it.each([
  ['check', [], undefined, ['metrics of kcm on cp-1', 'Services, Nodes and Events']],
  ['a preview, which reads no page', ['files'], undefined, ['Services, Nodes and Events']],
  ['a rollback plan', [], 'kcm', []],
] as const)(
  'what gates cannot read is reported as expected in %s',
  (_what, unseen, target, seen) => {
    const inspection: Inspection = {
      snapshot: { observation: OBSERVATION, firstSeen: [] },
      ...{ manifests: {}, baseline: null, clusterConfiguration: null, ccmDenied: null, beside: {} },
      probeRefused: null,
      gatesUnread: [
        { source: 'pages', place: 'kcm on cp-1', why: 'answered 403' },
        { source: 'objects', place: 'Services, Nodes and Events', why: 'may not list events' },
      ],
    };
    const fleet = { policy: policyOf(), materials: { ccmManifest: KCM } };
    const findings = preflightFindings({ inspection, notChecked: unseen }, fleet, target);
    const subjects = findings.filter(({ code }) => code === 'CCM1406').map((each) => each.subject);
    expect(subjects).toEqual(seen);
  },
);

it.each([
  ['check', undefined, ['delete nodes']],
  ['a plan with target CCM', 'ccm', ['delete nodes']],
  ['a rollback plan', 'kcm', []],
] as const)('missing CCM permissions are reported as expected in %s', (_what, target, expected) => {
  const inspection: Inspection = {
    snapshot: { observation: OBSERVATION, firstSeen: [] },
    ...{ manifests: {}, baseline: null, clusterConfiguration: null },
    ccmDenied: ['delete nodes'],
    probeRefused: null,
    gatesUnread: [],
    beside: {},
  };
  const fleet = { policy: policyOf(), materials: { ccmManifest: KCM } };
  const findings = preflightFindings({ inspection, notChecked: [] }, fleet, target);
  const seen = findings.filter(({ code }) => code === 'CCM1402').map((finding) => finding.seen);
  expect(seen).toEqual(expected);
});
