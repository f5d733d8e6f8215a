import { describe, expect, it } from '@jest/globals';
import { demoSettings } from '../../../testbed/demo/demo-settings.js';
import { DEFAULT_VARIANT } from '../../../testbed/demo/variant.js';
import { optionReader } from '../../../cli/cli.js';
import { UsageError } from '../../../cli/cli-error.js';

type Flags = Readonly<Record<string, string | boolean>>;

const settingsOf = (flags: Flags): ReturnType<typeof demoSettings> =>
  demoSettings(optionReader(flags));

describe('the settings of a demo', () => {
  it('without flags the demo replaces three simulated nodes in real time', () => {
    expect(settingsOf({})).toEqual({
      ...{
        environment: 'simulator',
        nodes: 3,
        keep: false,
        variant: DEFAULT_VARIANT,
        seed: 1,
        speed: 1,
      },
    });
  });

  it.each<[string, Flags, object]>([
    ['the same version', { from: '1.30.14', to: '1.30.14' }, { from: '1.30.14', to: '1.30.14' }],
    ['the next minor', { from: '1.27.4', to: '1.28.15' }, { from: '1.27.4', to: '1.28.15' }],
    ['one version of the two', { from: '1.30.5' }, { from: '1.30.5', to: '1.30.14' }],
    ['a gap in place', { strategy: 'gap', inPlace: true }, { strategy: 'gap', forward: 'inPlace' }],
    ['a DaemonSet', { ccm: 'daemonSet' }, { ccm: 'daemonSet' }],
  ])('a demo can be asked for %s', (_case, flags, variant) => {
    expect(settingsOf(flags).variant).toEqual({ ...DEFAULT_VARIANT, ...variant });
  });

  it.each<[string, Flags, RegExp]>([
    [
      'a minor version is skipped',
      { from: '1.27.4' },
      /keeps its minor version or moves to the next/,
    ],
    ['the target is older', { from: '1.30.14', to: '1.29.15' }, /--from 1\.30\.14 --to 1\.29\.15/],
    ['a version with v', { from: 'v1.29.15' }, /--from v1\.29\.15: write a full version without/],
    ['a version without patch', { to: '1.30' }, /--to 1\.30: write a full version/],
    ['no Kubernetes', { from: '7.29.1', to: '7.30.1' }, /--from 7\.29\.1/],
    ['a gap with new machines', { strategy: 'gap' }, /add --in-place/],
    ['the lab and a speed', { lab: true, speed: '5' }, /--speed is for the simulator only/],
    ['the lab and a seed', { lab: true, seed: '5' }, /--seed is for the simulator only/],
  ])('the settings are refused before anything is started: %s', (_case, flags, words) => {
    expect(() => settingsOf(flags)).toThrow(UsageError);
    expect(() => settingsOf(flags)).toThrow(words);
  });
});
