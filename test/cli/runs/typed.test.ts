import { expect, it, jest } from '@jest/globals';
import { EXIT_CODES } from '../../../cli/exit-status.js';
import { typable } from '../../../cli/screens/typable.js';
import { nextActions } from '../../../domain/run/next-actions.js';
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
  observed,
  STARTED,
  verdict,
} from '../../domain/run/given-run.js';
import { fakeTerminal, ran } from '../fake-terminal.js';
import { endedView, viewOf } from '../given-runs.js';
import { invocationOf, typed } from '../typed-line.js';

jest.setTimeout(60_000);

const RUNS: readonly GivenRun[] = [
  new GivenRun([does()]).stepping(),
  new GivenRun([blocked()]).stepping().on(command('pause')),
  new GivenRun([blocked()]).stepping(),
  new GivenRun([does()]).on(STARTED, CHECKED, FENCED, observed(0, false)),
  new GivenRun([does()]).stepping().on(finished([verdict()])),
  new GivenRun([blocked()]).stepping().on(command('rollBack'), failed('Forbidden')),
  new GivenRun([does('externalizeKcm', { phase: 'replaceNodes' })], {
    handoverApproval: 'required',
  }).stepping(),
  new GivenRun([blocked('CCM2007')]).stepping().on(command('reject')),
  new GivenRun([does()]).on(STARTED, CHECKED, failed('AlreadyRunning')),
  new GivenRun([DONE]).stepping(),
];

/** Commands as shown to people, for the cluster of the example. */
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

it('the cases cover every verb that any message names', () => {
  const verbs = new Set([...COMMANDS].map((each) => each.split(' ')[1]));
  expect([...verbs].sort()).toEqual([
    ...['apply', 'approve', 'check', 'explain', 'reject', 'resume', 'retry'],
    ...['rollback', 'rollforward', 'status', 'stop'],
  ]);
});

/** Our inventories reject such names, but a server may return anything. */
const HOSTILE = [
  "c1'; reboot #",
  '$(reboot) `reboot` && c1',
  'a b  c',
  'check',
  'c1 --yes',
  'c1\nccm-migrate stop c1 --yes',
];

it.each(HOSTILE)('a name with shell syntax is quoted as one argument: %j', async (name) => {
  for (const { state } of RUNS) {
    const named = { ...state, cluster: { ...state.cluster, name } };
    for (const command of nextActions(named).commands) {
      for (const view of [viewOf(FILES), { ...endedView(), ...FILES }]) {
        const line = typable(command, { ...view, cluster: name });
        expect(line).not.toContain('\n');
        const words = typed(line);
        expect(await invocationOf(line)).not.toBeNull();
        if (command.includes(name)) expect(words).toContain(name.replace('\n', ' '));
      }
    }
  }
});

it('a command with an unknown name is quoted for the shell too', () => {
  const line = typable('ccm-migrate retry x; reboot $(reboot)', viewOf());
  expect(typed(line)).toEqual(['ccm-migrate', 'retry', 'x;', 'reboot', '$(reboot)']);
});

it.concurrent.each([...COMMANDS])('a suggested command can be typed verbatim: %s', async (line) => {
  const [, ...argv] = typed(line);
  const terminal = fakeTerminal({ answers: ['because of a test', 'n', 'n'] });
  const { exit, stderr } = await ran(argv, {
    terminal,
    env: { CCM_MIGRATE_ADDRESS: '127.0.0.1:1' },
  });
  expect({ exit, stderr }).not.toMatchObject({ exit: EXIT_CODES.usage });
});
