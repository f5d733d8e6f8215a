import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { EXIT_STATUS_MEANINGS, EXIT_CODES } from '../../cli/exit-status.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from '../config/given-files.js';
import { fakeTerminal, ran } from './fake-terminal.js';

const WAVES = 'config/examples/fleet';
const EXAMPLE = 'config/examples/single-cluster';
const NOBODY = ['--address', '127.0.0.1:1', '--state-dir', '/nonexistent'];

describe('exit codes', () => {
  it('the table of exit codes never changes', () => {
    expect(EXIT_CODES).toEqual({
      reached: 0,
      failed: 1,
      changes: 2,
      checksFailed: 3,
      rolledBack: 4,
      halted: 5,
      refused: 7,
      inconclusive: 8,
      usage: 64,
      configInvalid: 65,
      timedOut: 124,
      interrupted: 130,
    });
    expect(Object.keys(EXIT_STATUS_MEANINGS)).toEqual(Object.keys(EXIT_CODES));
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ['a clean folder', ['lint', EXAMPLE], 0, /^$/],
    ['a missing file', ['lint', 'nothing.yaml'], 65, /1 problem/],
    ['a page', ['explain', 'CCM4001'], 0, /^$/],
    ['gates of versions', ['gates', 'list', '--kcm', '1.26'], 0, /^$/],
    [
      'gates of no version',
      ['gates', 'list', '--kcm', 'new'],
      64,
      /--kcm new: a Kubernetes version/,
    ],
    ['an unknown gate', ['gates', 'explain', 'nodeSyncError'], 64, /did you mean "nodeSyncErrors"/],
    [
      'an unknown gate on objects',
      ['gates', 'explain', 'cloudsight'],
      64,
      /did you mean "cloudSight"/,
    ],
    ['an unknown code', ['explain', 'CCM9999'], 64, /unknown code CCM9999/],
    ['a misspelt code', ['explain', 'CCM4099'], 64, /did you mean "CCM40\d9"/],
    ['an unknown verb', ['stats'], 64, /unknown command 'stats'[\s\S]*Did you mean status/],
    ['no verb', [], 64, /Usage: ccm-migrate VERB/],
    ['a group without its verb', ['audit'], 64, /Usage/],
    ['an unknown flag', ['plan', '--fiel', 'x'], 64, /unknown option '--fiel'[\s\S]*--file/],
    [
      'what shows the help of a verb',
      ['plan', '--fiel'],
      64,
      /\n {2}help {2}ccm-migrate plan --help\n/,
    ],
    [
      'what shows the help of a group',
      ['audit', 'verfy'],
      64,
      /\n {2}help {2}ccm-migrate audit --help\n/,
    ],
    [
      'what shows the help of all',
      ['-x'],
      64,
      /^. unknown option '-x'\n {2}help {2}ccm-migrate --help\n$/,
    ],
    ['a wrong choice', ['plan', '--target', 'both'], 64, /Allowed choices are ccm, kcm/],
    ['too many arguments', ['version', 'please'], 64, /too many arguments/],
    ['help', ['plan', '--help'], 0, /^$/],
    ['an unknown shell', ['completion', 'bsh'], 64, /did you mean "bash"/],
    ['an unknown kind', ['schema', 'FleetMigraton'], 64, /did you mean "FleetMigration"/],
    ['plan without files', ['plan'], 64, /-f is required/],
    ['plan with a missing file', ['plan', '-f', 'nothing.yaml'], 65, /no such file/],
    [
      'a cluster that the files do not name',
      ['plan', '-f', EXAMPLE, '--cluster', 'prod1'],
      64,
      /did you mean "prod-1"/,
    ],
    [
      'plan of one cluster whose wave promises what only the run of a fleet keeps',
      ['plan', '-f', WAVES, '--cluster', 'eu-4'],
      7,
      /CCM5031 eu-4: its wave has windows or excluded dates and approvals/,
    ],
    [
      'apply of one cluster whose wave promises what only the run of a fleet keeps',
      ['apply', '-f', WAVES, '--cluster', 'eu-4', '--reason', 'x'],
      7,
      /CCM5031 eu-4: its wave has windows or excluded dates and approvals/,
    ],
    ['a command without reason', ['pause', 'prod-1', ...NOBODY], 64, /--reason is required/],
    ['skip without code', ['skip', 'prod-1', '--reason', 'x', ...NOBODY], 64, /--code is required/],
    [
      'an unreachable server',
      ['status', ...NOBODY],
      1,
      /CCM4020 no Temporal server answers at 127.0.0.1:1/,
    ],
    [
      'plain text over a network',
      ['status', '--address', 'temporal.example.net:7233'],
      64,
      /plain text/,
    ],
    ['apply without plan or files', ['apply', '--reason', 'x'], 64, /give a plan/],
    [
      'apply of a file that is no plan',
      ['apply', 'package.json', '--reason', 'x'],
      64,
      /is not a plan of this tool/,
    ],
    ['verify of a missing file', ['audit', 'verify', 'nothing.json'], 64, /cannot be read/],
    ['verify of a file that is no export', ['audit', 'verify', 'package.json'], 3, /CCM4019/],
    [
      'a bad duration',
      ['status', '-w', '--timeout', '5', ...NOBODY],
      64,
      /--timeout 5: write a duration/,
    ],
    ['worker without inventory', ['worker'], 64, /-f is required/],
    ['dev without files', ['dev'], 64, /-f is required/],
  ])('a command exits with its code: %s', async (_case, argv, exit, stderr) => {
    const result = await ran(argv);
    expect({ exit: result.exit, stderr: result.stderr }).toEqual({
      exit,
      stderr: expect.stringMatching(stderr) as unknown,
    });
  });

  it('apply without node access is refused with CCM4002', async () => {
    await withFiles(
      {
        'fleet.yaml': FLEET,
        'inventory.yaml': INVENTORY,
        'policy.yaml': POLICY,
        'ccm.yaml': CCM_POD,
      },
      async (folder) => {
        const result = await ran(['apply', '-f', folder, '--reason', 'CHG-1', '--yes']);
        expect(result.exit).toBe(7);
        expect(result.stderr).toBe(
          [
            '✖ CCM4002 prod-1: no change is allowed without access to its nodes',
            '  why   Manifests and the proof that a process is dead are on the nodes. Without them no step is safe.',
            '  fix   Configure nodeAccess for this cluster in the inventory. Without it `check` and `plan` are a preview.',
            '  more  ccm-migrate explain CCM4002',
            '',
          ].join('\n'),
        );
      },
    );
  });

  it('no command prints the secret of a kubeconfig', async () => {
    const canary = 'canary-5d21';
    const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1', certificate-authority-data: bm90IGEgY2VydA== } }]
users: [{ name: u, user: { token: ${canary} } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`;
    const files = {
      ...{ 'fleet.yaml': FLEET, 'inventory.yaml': INVENTORY, 'policy.yaml': POLICY },
      ...{ 'ccm.yaml': CCM_POD, 'prod-1.kubeconfig': kubeconfig },
    };
    await withFiles(files, async (folder) => {
      const env = { CCM_MIGRATE_DEBUG: '1' };
      for (const verb of ['check', 'plan']) {
        const result = await ran([verb, '-f', join(folder), '-o', 'json'], { env });
        expect(result.exit).not.toBe(0);
        expect(result.stdout + result.stderr).not.toContain(canary);
      }
    });
  });
});

describe('an interruption', () => {
  it('an interruption has its own exit code', async () => {
    const result = await ran(['status', ...NOBODY], { signal: AbortSignal.abort() });
    expect(result.exit).toBe(130);
  });

  it('without a terminal no question is asked', async () => {
    const terminal = fakeTerminal();
    expect(terminal.canAsk).toBe(false);
  });
});
