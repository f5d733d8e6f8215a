import { describe, expect, it } from '@jest/globals';
import { objectListOf, objectListText } from '../../../activities/observe/object-list.js';
import { nativeDigest } from '../../../activities/native-digest.js';
import type {
  NodeObject,
  ServiceObject,
  VolumeObject,
} from '../../../activities/observe/objects.js';
import { digestJson } from '../../../domain/digest.js';

const NOTHING = { nodes: [], services: [], loadBalancers: [], volumes: [] };

const factsOf = (listed: Partial<Parameters<typeof objectListOf>[0]>) => {
  const [object] = objectListOf({ ...NOTHING, ...listed }).objects;
  return object?.facts ?? {};
};
const ofService = (metadata: NonNullable<ServiceObject['metadata']>) =>
  factsOf({ services: [{ metadata }] });
const ofNode = (node: NodeObject) => factsOf({ nodes: [node] });
const ofVolume = (volume: VolumeObject) => factsOf({ volumes: [volume] });

describe('what is compared of a listing', () => {
  it('of a Service: finalizers, and annotations by a digest of their value', () => {
    const facts = ofService({ finalizers: ['f'], annotations: { 'example.com/a': 'secret' } });
    expect(Object.keys(facts)).toEqual(['finalizer f', 'annotation example.com/a']);
    expect(facts['annotation example.com/a']).toMatch(/^[0-9a-f]{16}$/);
    expect(ofService({ annotations: { 'example.com/a': 'other' } })).not.toMatchObject({
      'annotation example.com/a': facts['annotation example.com/a'],
    });
  });

  it.each([
    ['kubectl.kubernetes.io/last-applied-configuration', false],
    ['meta.helm.sh/release-name', false],
    ['argocd.argoproj.io/tracking-id', false],
    ['service.beta.kubernetes.io/aws-load-balancer-type', true],
    ['nothelm.sh/a', true],
    ['plain', true],
  ])('of annotations those of deployments are left out: %s is compared: %s', (name, isCompared) => {
    expect(Object.keys(ofService({ annotations: { [name]: '' } }))).toHaveLength(
      isCompared ? 1 : 0,
    );
  });

  it('of a Node: what the cloud says of it, and its pod ranges', () => {
    const facts = ofNode({
      metadata: { labels: { 'topology.kubernetes.io/zone': 'a', 'example.com/mine': 'x' } },
      spec: {
        providerID: 'aws:///i-1',
        podCIDR: '10.0.0.0/24',
        podCIDRs: ['10.0.0.0/24', 'fd00::/64'],
        taints: [
          { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' },
          { key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' },
          { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
        ],
      },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    });
    expect(facts).toEqual({
      providerID: 'aws:///i-1',
      'address InternalIP 10.0.0.1': '',
      'label topology.kubernetes.io/zone': 'a',
      'taint node.cloudprovider.kubernetes.io/shutdown': 'NoSchedule',
      'podCIDR 10.0.0.0/24': '',
      'podCIDR fd00::/64': '',
    });
  });

  it.each<readonly [string, NodeObject, readonly string[]]>([
    ['nothing at all', {}, []],
    ['an empty providerID', { spec: { providerID: '' } }, []],
    ['one pod range, as older API servers write it', { spec: { podCIDR: 'r' } }, ['podCIDR r']],
  ])('a Node may have %s', (_name, node, facts) => {
    expect(Object.keys(ofNode(node))).toEqual(facts);
  });

  it('of a volume: zone and region, and whether it failed', () => {
    const labels = { 'failure-domain.beta.kubernetes.io/zone': 'a' };
    expect(ofVolume({ metadata: { labels }, status: { phase: 'Failed' } })).toEqual({
      'label failure-domain.beta.kubernetes.io/zone': 'a',
      'phase Failed': '',
    });
    expect(ofVolume({ status: { phase: 'Bound' } })).toEqual({});
  });

  it('what is being deleted is left out, and control-plane Nodes are no workers', () => {
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const labels = { 'node-role.kubernetes.io/control-plane': '' };
    const list = objectListOf({
      ...NOTHING,
      nodes: [
        { metadata: { name: 'w-2' } },
        { metadata: { name: 'w-1', ...leaving } },
        { metadata: { name: 'cp-1', labels } },
      ],
      services: [{ metadata: { name: 'web', ...leaving } }],
      volumes: [{ metadata: { name: 'pv', ...leaving } }],
    });
    expect(list.workers).toEqual(['w-1', 'w-2']);
    expect(list.objects.map(({ key }) => key)).toEqual(['cp-1', 'w-2']);
  });

  it('the order of a listing changes no digest; the digest is that of the text', () => {
    const nodes: readonly NodeObject[] = [
      { metadata: { name: 'a', uid: '1' } },
      { metadata: { name: 'b', uid: '2' }, spec: { providerID: 'é' } },
    ];
    const list = objectListOf({ ...NOTHING, nodes });
    const turned = objectListOf({ ...NOTHING, nodes: [...nodes].reverse() });
    expect(objectListText(turned)).toBe(objectListText(list));
    expect(nativeDigest(objectListText(list))).toBe(digestJson(list));
  });
});
