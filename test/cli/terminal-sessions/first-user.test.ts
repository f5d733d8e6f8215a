import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile } from '../../../devserver/package-files.js';
import { openProxy, type SimulatorProxy } from '../../crash/simulator-proxy.js';
import { openShell, type Shell } from './shell.js';

jest.setTimeout(600_000);

const WIDTHS = [60, 120, 160] as const;
const RECORDS = process.env['CCM_RECORD_GOLDEN'] === '1';

/** script(1) of util-linux; other implementations take other arguments. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux("a first user's session in a terminal", () => {
  let folder: string;
  let proxy: SimulatorProxy;
  const serving: string[] = [];
  const shells = new Map<number, Shell>();
  const shell = (columns: number): Shell => {
    const found = shells.get(columns);
    if (found === undefined) throw new Error(`no shell of ${String(columns)} columns`);
    return found;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-screens-'));
    await mkdir(join(folder, 'bin'));
    // Build output has no executable bit: npm sets it on installation.
    const program = packageFile('dist', 'cli', 'main.js');
    const command = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
    await writeFile(join(folder, 'bin', 'ccm-migrate'), command, { mode: 0o755 });
    await cp(packageFile('config', 'examples', 'simulator'), join(folder, 'fleet'), {
      recursive: true,
    });
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH: `${join(folder, 'bin')}:${PATH}`, HOME, LANG: 'C.UTF-8', USER: 'ana' };
    for (const columns of WIDTHS)
      shells.set(columns, await openShell(columns, { cwd: folder, env }));
  });
  afterAll(async () => {
    for (const pid of serving.toReversed()) {
      await shells
        .get(60)
        ?.type(`kill ${pid}; while kill -0 ${pid} 2>/dev/null; do sleep 0.2; done`);
    }
    for (const each of shells.values()) await each.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a background process, whose output says how to end it. */
  const serves = async (line: string): Promise<void> => {
    const said = await shell(120).type(line);
    const pid = /kill (\d+)/.exec(said)?.[1];
    if (pid === undefined) throw new Error(said);
    serving.push(pid);
  };
  const isAsRecorded = async (name: string, seen: string): Promise<void> => {
    const file = packageFile('test', 'cli', 'terminal-sessions', 'golden', `${name}.txt`);
    if (RECORDS) await writeFile(file, masked(seen));
    expect(masked(seen)).toBe(await readFile(file, 'utf8'));
  };
  /** The same command at each width; of a run's tree, whose length depends on progress, only the header. */
  const everywhere = async (name: string, line: string): Promise<void> => {
    for (const columns of WIDTHS) {
      const seen = await shell(columns).type(line);
      await isAsRecorded(name, line.includes('status') ? (seen.split('\n\n')[0] ?? '') : seen);
    }
  };

  it('the user rehearses, observes an outage, pauses, and rolls back', async () => {
    const { type, answer } = shell(120);
    await serves('ccm-migrate simulator --background 2>&1');
    for (const columns of WIDTHS)
      await shell(columns).type('FLEET="-f fleet -f .ccm-migrate/simulator/inventory.yaml"');
    await everywhere('check', 'ccm-migrate check $FLEET 2>&1');
    await everywhere('plan', 'ccm-migrate plan $FLEET --out plan.json 2>&1');
    await serves('ccm-migrate dev $FLEET --background 2>&1');
    proxy = openProxy(
      await readFile(join(folder, '.ccm-migrate', 'simulator', 'sim-1.kubeconfig'), 'utf8'),
      folder,
    );

    await isAsRecorded(
      'apply',
      await type('ccm-migrate apply plan.json --yes --reason "CHG-4711" --actor ana@corp 2>&1'),
    );
    await type(
      'until ccm-migrate status sim-1 -o json 2>/dev/null | grep -q "name\\": \\"enableLeaderMigration"; do :; done',
    );
    // The API server is down from here on.
    await proxy.strike([...Array(20_000).keys()], 'resetBefore');
    await type('sleep 15');
    await everywhere('outage', 'ccm-migrate status sim-1 2>/dev/null');
    await type('sleep 40');
    await proxy.strike([], 'resetBefore');
    await type(
      'until ccm-migrate status sim-1 2>/dev/null | grep -q "✔ enableLeaderMigration cp"; do :; done',
    );

    await answer('ccm-migrate pause sim-1 --actor bo@corp 2>&1', /Reason/, 'investigating latency');
    await everywhere('paused', 'ccm-migrate status sim-1 2>/dev/null');
    await isAsRecorded(
      'resume',
      await type('ccm-migrate resume sim-1 --actor bo@corp --reason "it was the network" 2>&1'),
    );
    await isAsRecorded(
      'rollback',
      await answer(
        'ccm-migrate rollback sim-1 --actor bo@corp --reason "rehearsal, rollback" 2>&1',
        /y\/N/,
        'y',
      ),
    );
    await type('ccm-migrate status sim-1 --until rolledBack >/dev/null 2>&1');
    await everywhere('rolled-back', 'ccm-migrate status sim-1 2>/dev/null');
  });
});

/**
 * Masks what differs between sessions: times, processes, ports, the leading node, progress. Rows that continue below
 * are joined: the text is then the same at every width.
 */
function masked(screen: string): string {
  const text = screen
    .replace(/\n {10,}(?=\S)/g, (below) => (below.length === 11 ? ' ' : below))
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replace(/\b\d+(?:\.\d)? (?:s|min|h)\b(?: \d+ (?:s|min)\b)?/g, '<span>')
    .replace(/\bcp-\d/g, 'cp-N')
    .replace(/\b\d+ moves?\b/g, 'N moves')
    .replace(/\b\d+ steps?( done|;)/g, 'N steps$1')
    .replace(/(Phase: +).* · (?=N steps)/g, '$1<phase> · ')
    .replace(/(possible; first:) .*/g, '$1 <step>')
    .replace(/(?:\d+ tries|1 try)(?:, next in <span>)?: .*/g, 'N tries: <error>')
    .replace(/; begins .*/g, '; begins <when>')
    .replace(/(run the cloud controllers); cp-N.*/g, '$1; <nodes>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/sha256:[0-9a-f]{8,}…?/g, 'sha256:<digest>');
  return `${text.trimEnd()}\n`;
}
