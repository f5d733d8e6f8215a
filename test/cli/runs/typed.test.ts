import { expect, it, jest } from '@jest/globals';
import { EXIT_CODES } from '../../../cli/endings.js';
import { typable } from '../../../cli/runs/typable.js';
import { nextActions } from '../../../domain/advance/next-command.js';
import {
  blocked,
  CHECKED,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  GivenRun,
  looked,
  STARTED,
  verdict,
} from '../../domain/advance/given-run.js';
import { fakeTerminal, ran } from '../fake-terminal.js';
import { endedView, viewOf } from '../given-runs.js';

jest.setTimeout(60_000);

const RUNS: readonly GivenRun[] = [
  new GivenRun([does()]).stepping(),
  new GivenRun([blocked()]).stepping().on(command('pause')),
  new GivenRun([blocked()]).stepping(),
  new GivenRun([does()]).on(STARTED, CHECKED, FENCED, looked(0, false)),
  new GivenRun([does()]).stepping().on(finished([verdict()])),
  new GivenRun([blocked()]).stepping().on(command('rollBack'), failed('Forbidden')),
  new GivenRun([does('externalizeKcm', { phase: 'replaceNodes' })], {
    handoverApproval: 'required',
  }).stepping(),
  new GivenRun([blocked('CCM2007')]).stepping().on(command('reject')),
  new GivenRun([does()]).on(STARTED, CHECKED, failed('AlreadyRunning')),
  new GivenRun([DONE]).stepping(),
];

/** As people see them, for the cluster of the example. */
const FILES = { files: ['config/examples/single-cluster'] };
const COMMANDS = new Set(
  RUNS.flatMap(({ state }) =>
    nextActions(state)
      .commands.map((each) => each.replace(/\bc1\b/, 'prod-1'))
      .flatMap((each) => [
        typable(each, viewOf(FILES)),
        typable(each, { ...endedView(), ...FILES }),
      ]),
  ),
);

it('covers every verb that is ever named', () => {
  const verbs = new Set([...COMMANDS].map((each) => each.split(' ')[1]));
  expect([...verbs].sort()).toEqual([
    ...['apply', 'approve', 'check', 'explain', 'reject', 'resume', 'retry'],
    ...['rollback', 'rollforward', 'status', 'stop'],
  ]);
});

it.concurrent.each([...COMMANDS])('can be typed as it stands: %s', async (typed) => {
  const [, ...argv] = typed.split(' ');
  const terminal = fakeTerminal({ answers: ['because of a test', 'n', 'n'] });
  const { exit, stderr } = await ran(argv, {
    terminal,
    env: { CCM_MIGRATE_ADDRESS: '127.0.0.1:1' },
  });
  expect({ exit, stderr }).not.toMatchObject({ exit: EXIT_CODES.usage });
});
