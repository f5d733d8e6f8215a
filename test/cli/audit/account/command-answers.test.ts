import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { commandAnswers } from '../../../../cli/audit/account/command-answers.js';
import { DATA_CONVERTER } from '../../../../config/data-converter.js';
import { ran } from '../../fake-terminal.js';
import { payloads, type WrittenEvent } from '../written-run.js';
import { commandEvent, told, writtenExport } from './told-account.js';

const startedWith = (input: unknown, ended?: unknown): unknown => ({
  events: [
    { workflowExecutionStartedEventAttributes: { input: payloads(input) } },
    ...(ended === undefined ? [] : [completed(ended)]),
  ],
});
const completed = (outcome: unknown): WrittenEvent => ({
  workflowExecutionCompletedEventAttributes: { result: payloads(outcome) },
});
const answer = (state: string, detail = '') => ({ state, detail });
const answersIn = async (...histories: readonly unknown[]): Promise<unknown> =>
  Object.fromEntries(await commandAnswers(histories, loadDataConverter(DATA_CONVERTER)));

describe('what became of commands', () => {
  it('is in the state that a later execution begins with, and in the outcome, which counts', async () => {
    const carried = (commands: object) => ({ carried: { state: { commands } } });
    expect(
      await answersIn(
        startedWith(carried({ answers: { forged: answer('applied') } })),
        startedWith(carried({ answers: { a: answer('applied', 'A'), b: answer('pending') } })),
        startedWith({}, { kind: 'stopped', answers: { b: answer('refused', 'B') } }),
      ),
    ).toEqual({ a: answer('applied', 'A'), b: answer('refused', 'B') });
  });

  it('is in the state of a fleet, too', async () => {
    const state = { answers: { a: { ...answer('applied', 'A'), verb: 'pause', atMs: 1 } } };
    expect(await answersIn(startedWith({}), startedWith({ carried: { state } }))).toEqual({
      a: answer('applied', 'A'),
    });
  });

  it('is unsaid where nothing known is said', async () => {
    const strange = { a: answer('done'), b: 'applied', c: null };
    expect(await answersIn(startedWith({}, { answers: strange }))).toEqual({});
    expect(await answersIn(startedWith({}, { answers: [answer('applied')] }))).toEqual({});
    expect(await answersIn({}, {})).toEqual({});
  });

  it('stands beside the command in the account of a run', async () => {
    const { requests } = await told({
      written: [commandEvent('resume'), commandEvent('retry')],
      end: [completed({ answers: { resume: answer('refused', 'CCM4005: not paused') } })],
    });
    expect(requests.map(({ verb, answer: { state, detail } }) => [verb, state, detail])).toEqual([
      ['apply', 'unsaid', ''],
      ['resume', 'refused', 'CCM4005: not paused'],
      ['retry', 'unsaid', ''],
    ]);
  });

  it('is told beside each command, as something that no one signed', async () => {
    const answers = {
      pause: answer('applied', 'paused'),
      resume: answer('refused', 'CCM4005: the run is not paused'),
      retry: answer('pending'),
    };
    const written = ['pause', 'resume', 'retry', 'skip'].map((verb) => commandEvent(verb));
    const lines = await shownLines(writtenExport({ written, end: [completed({ answers })] }));
    expect(lines.filter((line) => /by ben|taken/.test(line))).toEqual([
      expect.stringMatching(/• pause by ben: reason of pause$/),
      expect.stringMatching(/^ +taken: paused \(as it says; not proven\)$/),
      expect.stringMatching(/✖ resume by ben: reason of resume$/),
      expect.stringMatching(/^ +not taken: CCM4005: the run is not paused \(as it says; not p/),
      expect.stringMatching(/• retry by ben: reason of retry$/),
      expect.stringMatching(/^ +not taken when it was last on record \(as it says; not proven\)$/),
      expect.stringMatching(/• skip by ben: reason of skip$/),
    ]);
  });
});

async function shownLines(text: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-answers-'));
  const file = join(folder, 'run.json');
  await writeFile(file, text);
  const { stdout } = await ran(['audit', 'show', file, '--no-replay']);
  await rm(folder, { recursive: true });
  return stdout.split('\n');
}
