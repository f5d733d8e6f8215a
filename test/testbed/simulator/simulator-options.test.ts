import { describe, expect, it } from '@jest/globals';
import { SIMULATOR_HELP, parseOptions } from '../../../testbed/simulator/simulator-options.js';

describe('options of the simulator', () => {
  it("the simulator's options default to one cluster of three nodes on a free port", () => {
    expect(parseOptions(['--state-dir', '/tmp/x'])).toMatchObject({
      kind: 'run',
      options: {
        stateDir: '/tmp/x',
        simulator: {
          port: 0,
          speed: 1,
          clusters: [
            {
              id: 'sim-1',
              spec: {
                nodes: 3,
                version: '1.29.15',
                apiServerVersion: '1.30.14',
                preset: 'in-tree',
              },
            },
          ],
        },
      },
    });
  });

  it.each([
    [['--port', 'x'], '--port must be a whole number from 0 to 65535, not "x"'],
    [['--nodes', '0'], '--nodes must be a whole number from 1 to 9, not "0"'],
    [['--speed', '0'], '--speed must be a number above 0, not "0"'],
    [['--from', 'v1.29'], '--from must be a version like 1.30.14, not "v1.29"'],
    [['--etcd', 'none'], '--etcd must be one of external, stacked, not "none"'],
    [['--preset', 'toString'], '--preset must be one of in-tree'],
    [['--fast'], "Unknown option '--fast'"],
    [['stray'], "Unexpected argument 'stray'"],
  ])('options %j are refused with a correction', (words, message) => {
    expect(parseOptions(words)).toEqual({
      kind: 'refused',
      message: expect.stringContaining(message),
    });
  });

  it('the options explain themselves', () => {
    expect(parseOptions(['--help'])).toEqual({ kind: 'help' });
    for (const word of ['--port', '--preset', '--state-dir', 'KUBECONFIG', 'SIGTERM']) {
      expect(SIMULATOR_HELP).toContain(word);
    }
  });
});
