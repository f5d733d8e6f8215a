import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { optionReader } from '../../../../cli/cli.js';
import { UsageError } from '../../../../cli/cli-error.js';
import { loadFleets } from '../../../../config/fleet.js';
import {
  leftOutBy,
  readFleetReport,
  withLeftOut,
} from '../../../../testbed/demo/fleet/fleet-report.js';
import { progressLine } from '../../../../testbed/demo/fleet/fleet-lines.js';
import { fleetSettings } from '../../../../testbed/demo/fleet/fleet-settings.js';
import { FLEET_STORY as STORY } from '../../../../testbed/demo/fleet/fleet-story.js';
import { inventoryText } from '../../../../testbed/simulator/server/inventory-file.js';
import { parseOptions } from '../../../../testbed/simulator/simulator-options.js';
import { withFiles } from '../../../config/given-files.js';

const EXAMPLE = 'config/examples/simulated-fleet';

describe('the story of the demo of a fleet', () => {
  it('the story is that of the example: the waves, the canary, the limits and the faults', async () => {
    const parsed = parseOptions(['--shape', join(EXAMPLE, 'shape.yaml')]);
    const clusters = parsed.kind === 'run' ? parsed.options.simulator.clusters : [];
    const entries = clusters.map(({ id, particulars }) => ({
      ...{ id, region: particulars?.region ?? '', labels: particulars?.labels ?? {} },
      ...{ kubeconfig: `/${id}.kubeconfig`, server: 'https://127.0.0.1:1' },
    }));
    const failing = clusters.filter(({ particulars }) => particulars?.faults.length !== 0);
    expect(failing.map(({ id }) => id)).toEqual([STORY.failing]);
    const old = clusters.filter(({ spec }) => spec?.version !== '1.29.15');
    expect(old.map(({ id }) => id)).toEqual([STORY.refused]);
    await withFiles({ 'inventory.yaml': inventoryText(entries) }, async (folder) => {
      const [fleet, ...others] = await loadFleets([EXAMPLE, join(folder, 'inventory.yaml')]);
      expect(others).toEqual([]);
      expect(fleet?.name).toBe(STORY.fleet);
      expect(fleet?.waves.map(({ plan, clusters: own }) => [plan.name, [...own].sort()])).toEqual([
        ['pilot', STORY.pilot],
        ['main', STORY.main],
        ['last', STORY.last],
      ]);
      expect(fleet?.waves.map(({ canaries }) => canaries)).toEqual([[STORY.canary], [], []]);
      expect(fleet?.rollout).toMatchObject({
        ...{ inFlight: STORY.inFlight, caps: { region: STORY.perRegion } },
        ...{ onFailure: 'rollBack', unreachable: 'wait' },
      });
    });
  });
});

describe('the settings of the demo of a fleet', () => {
  it('a demo of a fleet takes seed, speed and whether it is kept', () => {
    expect(fleetSettings(optionReader({ nodes: '3', ccm: 'staticPod' }))).toEqual({
      ...{ keep: false, seed: 1, speed: 3 },
    });
    expect(fleetSettings(optionReader({ keep: true, seed: '7', speed: '1' }))).toEqual({
      ...{ keep: true, seed: 7, speed: 1 },
    });
  });

  it.each<[string, Readonly<Record<string, string | boolean>>]>([
    ['lab', { lab: true }],
    ['in-place', { inPlace: true }],
    ['strategy', { strategy: 'gap' }],
    ['nodes', { nodes: '1' }],
    ['from', { from: '1.28.15' }],
  ])('a demo of a fleet refuses --%s before anything is started', (flag, flags) => {
    expect(() => fleetSettings(optionReader(flags))).toThrow(UsageError);
    expect(() => fleetSettings(optionReader(flags))).toThrow(`Omit --${flag}`);
  });
});

describe('what the demo reads and shows of a fleet', () => {
  const DOCUMENT = {
    status: {
      standing: 'progressing',
      limits: { burnt: 1 },
      groups: [
        { phase: 'active', clusters: ['eu-2', 'us-1'] },
        { phase: 'proven', clusters: ['eu-1'] },
        { phase: 'waiting', clusters: ['us-2'] },
      ],
      needs: [{ kind: 'approval', subject: 'simulated/wave/last', names: [] }],
    },
  };

  it('the report of a fleet is read from its document', () => {
    expect(readFleetReport(DOCUMENT)).toEqual({
      standing: 'progressing',
      burnt: 1,
      phases: { 'eu-1': 'proven', 'eu-2': 'active', 'us-1': 'active', 'us-2': 'waiting' },
      needs: DOCUMENT.status.needs,
    });
  });

  it('a cluster that the plan left out counts as skipped', () => {
    const leftOut = leftOutBy({ skipped: [{ name: 'us-4' }] });
    const { phases } = withLeftOut(readFleetReport(DOCUMENT), leftOut);
    expect(phases).toMatchObject({ 'us-4': 'skipped', 'eu-1': 'proven' });
  });

  it('a document without its parts reads as a report without an end or a budget', () => {
    expect(readFleetReport({})).toEqual({ standing: '', burnt: NaN, phases: {}, needs: [] });
  });

  it('one line shows what is proven, what changes by name, and who is needed', () => {
    expect(progressLine(readFleetReport(DOCUMENT))).toBe(
      'progressing · 1 proven · 2 changing (eu-2 us-1) · 1 waiting · a person is needed: approval of simulated/wave/last',
    );
  });
});
