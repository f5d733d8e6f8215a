import { describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { optionReader, type Cli } from '../../../cli/cli.js';
import { exitStatusOfAll, freezeOpen, toldText } from '../../../cli/commands/freeze-all.js';
import { untilSettled, type OpenWork } from '../../../cli/fleets/open-work.js';
import type { ToldWork } from '../../../cli/fleets/tell-work.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { fakeTerminal, ran } from '../fake-terminal.js';

const theme = createTheme({ color: false, ascii: false });

function work(name: string, runId = '1'): OpenWork {
  return { kind: 'cluster', workflowId: `cluster-migration/${name}`, runId, name };
}

function told(name: string, changes: Partial<ToldWork> = {}): ToldWork {
  const { kind, workflowId } = work(name);
  return { kind, workflowId, name, state: 'done', detail: 'd', untold: 0, ...changes };
}

/** What is told while the server lists this, one listing after the other, and the last one for ever. */
async function toldOf(...listings: readonly (readonly OpenWork[])[]) {
  let at = 0;
  const list = async (): Promise<readonly OpenWork[]> => {
    const now = listings[Math.min(at, listings.length - 1)] ?? [];
    at += 1;
    return now;
  };
  const { signal } = new AbortController();
  const tell = async ({ name, runId }: OpenWork): Promise<string> => `${name} ${runId}`;
  return { ...(await untilSettled(list, tell, { signal, lagMs: 0 })), listings: () => at };
}

/** A server on which nothing runs. */
const NOTHING_OPEN = {
  options: { namespace: 'default' },
  workflow: { list: async function* () {} },
} as unknown as Client;

describe('a freeze of everything', () => {
  it('a run that the first listing did not have yet is told after the next one, each once', async () => {
    const settled = await toldOf([work('a')], [work('a'), work('b')]);
    expect(settled).toMatchObject({ told: ['a 1', 'b 1'], settled: true });
    expect(settled.listings()).toBe(3);
  });

  it('an empty listing is not believed alone', async () => {
    expect(await toldOf([], [work('a')])).toMatchObject({ told: ['a 1'], settled: true });
  });

  it('a later run of the same cluster is told too', async () => {
    expect(await toldOf([work('a')], [work('a', '2')])).toMatchObject({ told: ['a 1', 'a 2'] });
  });

  it('it ends where new runs never stop appearing, and says that it is not settled', async () => {
    const listings = Array.from({ length: 50 }, (_, index) => [work(`c${index}`)]);
    expect(await toldOf(...listings)).toMatchObject({ settled: false });
  });

  it('one that does not answer keeps no other from being told', async () => {
    const names: string[] = [];
    let answer: () => void = () => undefined;
    const tell = async ({ name }: OpenWork): Promise<string> => {
      names.push(name);
      if (name === 'a') await new Promise<void>((resolve) => (answer = resolve));
      if (name === 'b') answer();
      return name;
    };
    const listings = [[work('a')], [work('a'), work('b')]];
    const list = async (): Promise<readonly OpenWork[]> => listings.shift() ?? [];
    const { signal } = new AbortController();
    await untilSettled(list, tell, { signal, lagMs: 0 });
    expect(names).toEqual(['a', 'b']);
  });

  it.each<[string, readonly ToldWork[], boolean, string]>([
    ['all of them hold', [told('a'), told('b', { state: 'ended' })], true, 'reached'],
    ['one was left as people paused it', [told('a', { state: 'left' })], true, 'reached'],
    ['one did not answer', [told('a'), told('b', { state: 'unanswered' })], true, 'timedOut'],
    ['a run of a fleet was not told', [told('a', { untold: 1 })], true, 'timedOut'],
    ['new ones kept appearing', [told('a')], false, 'timedOut'],
    ['one refused', [told('a'), told('b', { state: 'refused' })], true, 'refused'],
    ['one could not be sent', [told('a', { state: 'failed', untold: 1 })], true, 'failed'],
  ])('the exit status where %s', (_what, all, settled, status) => {
    expect(exitStatusOfAll(all, settled)).toBe(status);
  });

  it('what needs a person comes first, the lines are bounded, and the counts are of all', () => {
    const all = [
      ...Array.from({ length: 100 }, (_, index) => told(`c${index}`)),
      told('f', { kind: 'fleet', state: 'done', untold: 3, detail: 'held' }),
      told('x', { state: 'failed', detail: 'no' }),
    ];
    const lines = toldText({ theme }, 'freeze', { told: all, settled: false }).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      '✖ cluster x: freeze failed: no',
      '✔ fleet f: freeze done: held · 3 runs not told yet',
    ]);
    expect(lines.slice(-4)).toEqual([
      '… and 62 more',
      '1 fleet and 101 runs on their own: 1 failed, 101 done · 3 runs of fleets not told yet, told again',
      '⚠ new runs kept appearing: type it again',
      '',
    ]);
  });

  it.each(['freeze', 'unfreeze'] as const)(
    '%s asks nothing where nothing is open',
    async (verb) => {
      const terminal = fakeTerminal();
      const { signal } = new AbortController();
      const cli: Cli = {
        ...{ terminal, theme, output: 'text', env: { HOME: '/nowhere' }, signal },
        ...{ arguments: [], typed: [], options: optionReader({}) },
      };
      const who = { actor: 'ana', reason: 'r', ticket: '' };
      expect(await freezeOpen(cli, NOTHING_OPEN, verb, who)).toBe('reached');
      expect(terminal.stdout()).toBe('0 fleets and 0 runs on their own: nothing is open\n');
    },
  );

  it.each([
    [['freeze', '--reason', 'r'], /name what to freeze: a fleet, or --all/],
    [['unfreeze', 'f', '--all', '--reason', 'r'], /unfreeze takes a fleet or --all, not both/],
  ])('%s is no command', async (words, message) => {
    const { exit, stderr } = await ran(words);
    expect({ exit, stderr }).toEqual({ exit: 64, stderr: expect.stringMatching(message) });
  });
});
