import { durationMs } from '../../../config/duration.js';
import type { WrittenPolicy } from '../../../config/kinds/migration-policy.js';
import { plainVersion } from './rehearsed-clusters.js';

type Spec = WrittenPolicy['spec'];

const image = (name: string, version: string): string => `registry.k8s.io/${name}:v${version}`;

/** How the managers of the simulator elect; their CCM retries faster. */
const ELECTION = { leaseDuration: '15s', renewDeadline: '10s', retryPeriod: '2s' };
/** Longer than one expiry of those Leases. */
const SHORTEST_WAIT = '20s';

/**
 * A policy for simulated clusters: strategy, order of nodes, gates and waits are those of the real one; provider, images,
 * manifest and election are the simulator's, and nothing waits for a person or for long.
 */
export function rehearsedPolicy(
  { apiVersion, kind, metadata, spec }: WrittenPolicy,
  { soak, manifest }: { readonly soak: string; readonly manifest: string },
): object {
  const { name } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name },
    spec: { ...spec, ...replaced(spec), soak, ...ccmOf(spec, manifest) },
  };
}

function replaced({ source, target, machines, gates, timings }: Spec): Partial<Spec> {
  const [from, to] = [plainVersion(source.version), plainVersion(target.version)];
  return {
    source: {
      version: from,
      cloudProvider: 'labcloud',
      kcmImage: image('kube-controller-manager', from),
    },
    target: { version: to, kcmImage: image('kube-controller-manager', to) },
    kcm: { leaseTimings: ELECTION },
    machines: { ...machines, autoRepair: 'frozen' },
    gates: {
      ...gates,
      orphanBudget: atLeast(gates.orphanBudget),
      // No Prometheus scrapes simulated clusters.
      metrics: { ...gates.metrics, own: [] },
    },
    approvals: { handover: 'notRequired' },
    // They name digests of observations of the real clusters.
    waivers: [],
    // The clock of the clusters runs faster than ours, so that the guard has to.
    timings: {
      ...timings,
      guard: '500ms',
      guardIdle: '5s',
      settle: '2s',
      election: atLeast(timings.election),
    },
  };
}

function ccmOf({ ccm }: Spec, manifest: string): Pick<Spec, 'ccm'> {
  const version = plainVersion(ccm.version);
  return {
    ccm: {
      ...ccm,
      ...{ version, manifest, image: image('cloud-controller-manager', version) },
      leaseTimings: { ...ELECTION, retryPeriod: '1s' },
      accessRules: [],
    },
  };
}

function atLeast(written: string): string {
  return durationMs(written) < durationMs(SHORTEST_WAIT) ? SHORTEST_WAIT : written;
}
