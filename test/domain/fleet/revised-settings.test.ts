import { describe, expect, it } from '@jest/globals';
import { mergedSettings, settingsTexts } from '../../../domain/fleet/revised-settings.js';

describe('the settings of a revised fleet', () => {
  const before = { waves: ['w0', 'w1'], members: ['m0', 'm1'] };
  const planned = { waves: ['v0'], members: ['n0'] };

  it('are taken from before or from the plan, in the order of its waves and rows', () => {
    const origins = {
      waves: [{ from: 'before', index: 0 } as const],
      members: [{ from: 'before', index: 1 } as const, { from: 'plan', index: 0 } as const],
    };
    expect(mergedSettings(before, planned, origins)).toEqual({
      waves: ['w0'],
      members: ['m1', 'n0'],
    });
    const texts = settingsTexts({ waves: [{ a: 1, b: 2 }], members: [{ b: 2, a: 1 }] });
    expect(texts.waves).toEqual(texts.members);
  });

  it('are never made up', () => {
    const origins = { waves: [], members: [{ from: 'plan', index: 1 } as const] };
    expect(() => mergedSettings(before, planned, origins)).toThrow('no settings 1');
  });
});
