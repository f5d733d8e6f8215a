import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { AUDIT_POLICY } from '../../../testbed/lab/cluster/audit-policy.js';
import { clusterConfiguration } from '../../../testbed/lab/cluster/kubeadm-config.js';
import {
  ccmStaticPod,
  inTreeKcmManifest,
  kcmManifest,
  schedulerManifest,
} from '../../../testbed/lab/cluster/manifests.js';
import { kubeadmFlags } from '../../../testbed/lab/nodes/node-files.js';

describe('the lab writes files as kubeadm does', () => {
  it('the lab writes a KCM that owns the cloud controllers, on the loopback of its node', () => {
    const pod = parse(inTreeKcmManifest('1.29.15'));
    const [container] = pod.spec.containers;
    expect(container.image).toBe('registry.k8s.io/kube-controller-manager:v1.29.15');
    expect(container.command).toEqual(
      expect.arrayContaining([
        '--cloud-provider=labcloud',
        '--configure-cloud-routes=true',
        '--allocate-node-cidrs=true',
        '--cluster-cidr=10.244.0.0/16',
        '--bind-address=127.0.0.1',
        '--controllers=*,bootstrapsigner,tokencleaner',
      ]),
    );
    expect(pod.spec.hostNetwork).toBe(true);
    expect(container.livenessProbe.httpGet).toMatchObject({ host: '127.0.0.1', port: 10257 });
  });

  it('each mount of a manifest has its volume', () => {
    const file = { cloudProvider: 'external', files: ['/etc/kubernetes/leadermigration.conf'] };
    for (const text of [
      inTreeKcmManifest('1.29.15'),
      kcmManifest('1.30.14', file),
      ccmStaticPod('1.30.14', file),
      schedulerManifest('1.30.14'),
    ]) {
      const { spec } = parse(text);
      const names = (list: { name: string }[]): string[] => list.map(({ name }) => name).sort();
      expect(names(spec.containers[0].volumeMounts)).toEqual(names(spec.volumes));
    }
  });

  it("the lab writes a CCM that agrees with its KCM where both must, with its user's arguments at the end", () => {
    const settings = { cloudProvider: 'labcloud', more: ['--leader-elect-retry-period=1s'] };
    const command = (text: string): string[] => parse(text).spec.containers[0].command;
    const ccm = command(ccmStaticPod('1.30.14', settings));
    const kcm = command(kcmManifest('1.30.14', settings));
    const shared = /^--(cloud|cluster-cidr|cluster-name|configure-cloud-routes|leader-elect)/;
    expect(ccm.filter((each) => shared.test(each))).toEqual(
      kcm.filter((each) => shared.test(each)),
    );
    expect(ccm.at(-1)).toBe('--leader-elect-retry-period=1s');
  });

  it('the lab writes no cloud configuration for a KCM without a cloud', () => {
    expect(kcmManifest('1.30.14', { cloudProvider: 'external' })).not.toContain('--cloud-config');
  });

  it('the lab writes a ClusterConfiguration with the cloud arguments', () => {
    const config = parse(clusterConfiguration('1.29.15', 'https://198.18.17.2:6443'));
    expect(config.controlPlaneEndpoint).toBe('198.18.17.2:6443');
    expect(config.controllerManager.extraArgs).toMatchObject({ 'cloud-provider': 'labcloud' });
  });

  it.each([
    ['inTree', '--cloud-provider=labcloud'],
    ['external', '--cloud-provider=external'],
  ] as const)('the lab writes flags of a kubelet that is %s', (kubeletCloud, flag) => {
    const flags = kubeadmFlags(
      { name: 'cp-1', role: 'controlPlane', kubeletCloud },
      '198.18.17.11',
    );
    expect(flags).toMatch(/^KUBELET_KUBEADM_ARGS=".*"\n$/);
    expect(flags).toContain(flag);
  });

  it('the lab writes no cloud flag for a kubelet without a cloud', () => {
    const flags = kubeadmFlags({ name: 'w', role: 'worker', kubeletCloud: 'none' }, '198.18.17.11');
    expect(flags).not.toContain('--cloud');
    expect(flags).not.toContain('taint');
  });

  it('the lab writes an audit policy that records the bodies of Lease writes', () => {
    const [first] = JSON.parse(AUDIT_POLICY).rules;
    expect(first).toMatchObject({ level: 'Request', resources: [{ resources: ['leases'] }] });
  });
});
