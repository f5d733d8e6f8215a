import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../devserver/run-program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const PORTS = `
export interface NodeProcesses {
  readonly name: string;
  host(): string;
}
export interface Machines { list<T>(kind: T): T; add(): void }
export interface Ports { readonly processes: NodeProcesses; readonly machines: Machines | null }
`;
const CALLS = `
import type { Machines, Ports } from './ports.js';
export const host = ({ processes }: Pick<Ports, 'processes'>) => processes.host();
export const list = (ports: Ports) => ports.machines?.list<'a'>('a');
export const add = ({ add: order }: Machines) => order;
`;
/** Each method again, where calls do not count. */
const IMPLEMENTS = `
import type { NodeProcesses } from '../ports.js';
export const again = (processes: NodeProcesses) => { processes.host(); };
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'port-callers-'));
  await copyFile(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the check says of these files, and whether it passes. */
async function check(files: Readonly<Record<string, string>>): Promise<readonly [number, string]> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const options = { cwd: folder, env: process.env };
  const tool = join(ROOT, 'tools/check-ports.mjs');
  const { code, stdout, stderr } = await runProgram(process.execPath, [tool], options);
  return [code ?? -1, stdout + stderr];
}

const product = (calls: string, ports = PORTS) => ({
  'activities/ports.ts': ports,
  'activities/calls.ts': calls,
});
const without = (text: string, line: string) => text.replace(new RegExp(`.*${line}.*\n`), '');

describe('methods of ports', () => {
  it('pass when all are called', async () => {
    const [code, output] = await check(product(CALLS));
    expect(output).toBe('ports: 3 methods, 0 violations\n');
    expect(code).toBe(0);
  }, 60_000);

  it.each([
    ['host', 'processes.host', 'NodeProcesses.host'],
    ['list', 'machines\\?.list', 'Machines.list'],
    ['add', 'add: order', 'Machines.add'],
  ])(
    'fail when nothing calls %s',
    async (_name, line, method) => {
      const [code, output] = await check(product(without(CALLS, line)));
      expect(output).toContain(`error ${method} of activities/ports.ts has no caller`);
      expect(code).toBe(1);
    },
    60_000,
  );

  it('are not called by adapters, tests or the testbed', async () => {
    const [code, output] = await check({
      ...product(without(CALLS, 'processes.host')),
      'activities/adapters/again.ts': IMPLEMENTS,
      'test/again.ts': IMPLEMENTS.replace('../ports', '../activities/ports'),
      'testbed/again.ts': IMPLEMENTS.replace('../ports', '../activities/ports'),
    });
    expect(output).toContain('error NodeProcesses.host of activities/ports.ts has no caller');
    expect(code).toBe(1);
  }, 60_000);

  it('fail when none were found', async () => {
    const [code, output] = await check(product('', 'export {};'));
    expect(output).toContain('No port methods were found');
    expect(code).toBe(1);
  }, 60_000);
});
