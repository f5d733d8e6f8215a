import { WrittenPolicy } from '../../../config/kinds/migration-policy.js';
import { normalisedPolicy, normalisedTimings } from '../../../config/normalised-policy.js';
import type {
  FleetMemberPlan,
  FleetMigrationInput,
  FleetWaveSettings,
} from '../../../activities/fleet-input.js';
import type { DrawnFleet, FleetParameters } from './drawn-fleet.js';

export const BENCH_FLEET = 'bench';

/** One region serves all clusters of the model; the labels of the plan are another thing. */
export const BENCH_REGION = 'bench';

/** What the workflow of the fleet is started with. */
export function benchInput(
  { plan }: DrawnFleet,
  parameters: Pick<FleetParameters, 'soakMs'>,
): FleetMigrationInput {
  return {
    fleet: BENCH_FLEET,
    ...{ actor: plan.requester, reason: 'benchmark', ticket: '' },
    given: {
      plan,
      waves: plan.waves.map(() => waveSettings(parameters)),
      members: plan.rows.map(({ name }) => memberOf(name)),
    },
    carried: null,
  };
}

function memberOf(name: string): FleetMemberPlan {
  return { uid: `uid-${name}`, region: BENCH_REGION, planDigest: 'sha256:plan' };
}

/** The defaults of a real policy, and a manifest of ordinary length. */
function waveSettings({ soakMs }: Pick<FleetParameters, 'soakMs'>): FleetWaveSettings {
  const { spec } = WrittenPolicy.parse({
    apiVersion: 'ccm-migrate.dev/v1alpha1',
    kind: 'MigrationPolicy',
    metadata: { name: 'bench' },
    spec: {
      nodes: { forward: 'inPlace', rollback: 'inPlace' },
      source: { version: '1.29.15', cloudProvider: 'bench', kcmImage: imageOf('kube', '1.29.15') },
      target: { version: '1.30.14', kcmImage: imageOf('kube', '1.30.14') },
      ccm: { image: imageOf('cloud', '1.30.14'), version: '1.30.14', manifest: 'ccm.yaml' },
      machines: { autoRepair: 'frozen' },
      soak: `${soakMs}ms`,
    },
  });
  return {
    policy: normalisedPolicy(spec),
    timings: normalisedTimings(spec),
    materials: { ccmManifest: CCM_MANIFEST },
    windows: [],
    excludedDates: [],
  };
}

function imageOf(manager: 'kube' | 'cloud', version: string): string {
  return `registry.k8s.io/${manager}-controller-manager:v${version}`;
}

const CCM_MANIFEST = [
  ...['apiVersion: v1', 'kind: Pod', 'metadata:', '  name: cloud-controller-manager', 'spec:'],
  ...['  containers:', '    - name: cloud-controller-manager', '      command:'],
  ...Array.from({ length: 50 }, (_, index) => `        - --flag-${index}=value-of-the-flag`),
].join('\n');
