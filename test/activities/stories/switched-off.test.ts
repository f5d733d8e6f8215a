import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { parseArguments, textFlag } from '../../../domain/managers/arguments.js';
import { readManagerManifest } from '../../../domain/manifests/manifest.js';
import { isInUse, mayRun } from '../../../domain/ownership/owners.js';
import { MANIFEST_PATHS } from '../../../domain/manifests/paths.js';
import type { NodePlan } from '../../../testbed/simulator/cluster/cluster-spec.js';
import { policyBetween } from '../simulator-policy.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const OFF = '*,-service,bootstrapsigner,tokencleaner';

/** `--controllers` of every existing manifest of a manager. */
async function lists(
  environment: Environment,
  manager: 'kcm' | 'ccm',
): Promise<readonly (string | null)[]> {
  const { observation } = await environment.snapshot();
  const options = { timeoutMs: 10_000 };
  const files = await Promise.all(
    observation.nodes.map(({ name }) =>
      environment.ports.files.read(name, MANIFEST_PATHS[manager], options),
    ),
  );
  return files.flatMap((file) => {
    if (file === null) return [];
    const result = readManagerManifest(file.content);
    if (result.kind === 'invalid') throw new Error(file.content);
    return [textFlag(parseArguments(result.manifest.arguments), 'controllers')];
  });
}

describe('KCMs that leave the load balancers to another component', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  it.each([
    ['1.29.15', '1.30.14', '*,-service-lb-controller'],
    ['1.26.15', '1.27.16', '*,-service'],
  ])(
    'no CCM ever runs the load balancers between %s and %s, forward or back',
    async (from, to, inherited) => {
      const plan: NodePlan = {
        kcm: { version: from, cloudProvider: 'labcloud', migration: 'off', controllers: OFF },
        ccm: null,
        kubelet: 'inTree',
        kubeletVersion: from,
      };
      environment = await openEnvironment({
        spec: { version: from, apiServerVersion: to, plans: [plan, plan] },
        policy: policyBetween(from, to),
      });
      const watch = (_: unknown, before: Parameters<typeof isInUse>[0]): void => {
        expect(isInUse(before, 'service')).toBe(false);
        const ccms = before.nodes.flatMap(({ ccm }) => ccm.processes);
        expect(ccms.filter(({ config }) => mayRun(config, 'service'))).toEqual([]);
      };
      await environment.migrate('ccm', watch);
      expect(await lists(environment, 'ccm')).toEqual([inherited, inherited]);
      expect(await lists(environment, 'kcm')).toEqual([OFF, OFF]);
      await environment.migrate('kcm', watch);
      expect(await lists(environment, 'ccm')).toEqual([]);
      expect(await lists(environment, 'kcm')).toEqual([OFF, OFF]);

      const { service, route } = environment.cluster.truth().controllers;
      expect(service.intervals.flatMap(({ owners }) => owners)).toEqual([]);
      expect(route.overlapSeconds).toBe(0);
      expect(route.intervals.at(-1)?.owners).toEqual([expect.stringMatching(/^kcm:/)]);
    },
  );
});
