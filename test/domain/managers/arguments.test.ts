import { describe, expect, it } from '@jest/globals';
import {
  durationSeconds,
  listFlag,
  parseArguments,
  switchFlag,
  textFlag,
} from '../../../domain/managers/arguments.js';

describe('parseArguments', () => {
  it.each([
    [['--a=b'], [['a', 'b']]],
    [
      ['--a', 'b', '--c'],
      [
        ['a', 'b'],
        ['c', null],
      ],
    ],
    [
      ['--a', '--b'],
      [
        ['a', null],
        ['b', null],
      ],
    ],
    [['--leader-elect', 'false'], [['leader-elect', null]]],
    [['--controllers', '-nodeipam,*'], [['controllers', '-nodeipam,*']]],
    [['-v', '2'], [['v', '2']]],
    [['--cloud_provider=x'], [['cloud-provider', 'x']]],
    [['--a=b=c'], [['a', 'b=c']]],
    [['--a='], [['a', '']]],
    [['stray', '--a=b', '--', '--c=d'], [['a', 'b']]],
  ])('parseArguments reads %j', (tokens, expected) => {
    expect(parseArguments(tokens).map(({ name, value }) => [name, value])).toEqual(expected);
  });
});

describe('flags', () => {
  const found = parseArguments(['--a=1', '--l=x', '--s', '--a=2', '--l=y', '--n=false', '--l']);

  it('flags take the last text and join lists', () => {
    expect(textFlag(found, 'a')).toBe('2');
    expect(textFlag(found, 's')).toBeNull();
    expect(textFlag(found, 'none')).toBeNull();
    expect(listFlag(found, 'l')).toBe('x,y,');
    expect(listFlag(found, 'none')).toBe('');
  });

  it('flags are read as switches', () => {
    expect(switchFlag(found, 's', false)).toBe(true);
    expect(switchFlag(found, 'n', true)).toBe(false);
    expect(switchFlag(found, 'none', true)).toBe(true);
    expect(switchFlag(parseArguments(['--t=T']), 't', false)).toBe(true);
  });

  it.each([
    ['15s', 15],
    ['1m30s', 90],
    ['1.5h', 5400],
    ['250ms', 0.25],
    ['15', null],
    ['', null],
    ['s', null],
  ])('the duration "%s" is read as %s seconds', (text, seconds) =>
    expect(durationSeconds(text)).toBe(seconds),
  );
});
