import { describe, expect, it } from '@jest/globals';
import {
  readyLine,
  readyText,
  type SimulatorReady,
} from '../../../testbed/simulator/ready-text.js';

const READY: SimulatorReady = {
  ...{ url: 'https://127.0.0.1:4711', inventory: 'sim/inventory.yaml', pid: 7 },
  kubeconfigs: { 'sim-1': 'sim/sim-1.kubeconfig' },
};

describe('a simulator that is ready', () => {
  it('tells programs so in one line', () => {
    const line = readyLine(READY);
    expect(line).toMatch(/^\{"ready":true,.*\}\n$/);
    expect(JSON.parse(line)).toEqual({ ready: true, ...READY });
  });

  it('tells people where it is, what to type, and how to end it', () => {
    expect(readyText(READY)).toBe(
      [
        'cluster sim-1 simulated at https://127.0.0.1:4711; Ctrl-C ends it',
        '  inventory   sim/inventory.yaml',
        '  kubeconfig  sim/sim-1.kubeconfig',
        '  look        kubectl --kubeconfig sim/sim-1.kubeconfig get nodes,leases -A',
        '',
      ].join('\n'),
    );
    const kubeconfigs = { ...READY.kubeconfigs, 'sim-2': 'sim/sim-2.kubeconfig' };
    expect(readyText({ ...READY, kubeconfigs })).toContain('2 clusters simulated at');
  });
});
