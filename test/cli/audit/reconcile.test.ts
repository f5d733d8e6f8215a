import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fakeTerminal, ran } from '../fake-terminal.js';
import { closed, openExport } from './forged-exports.js';
import { signedExport } from './signed-export.js';

type Members = { [name: string]: unknown };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-reconcile-'));
  await writeFile(join(folder, 'run.json'), signedExport({ steps: 3 }));
});
afterAll(() => rm(folder, { recursive: true }));

const MOMENT = 'stage';
const AT_ITS_END = { [MOMENT]: 'ResponseComplete' };

/** As an API server at level Metadata writes it. */
const event = (verb: string, name: string, changes: Members = {}): Members => ({
  ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...AT_ITS_END, verb },
  ...{ requestURI: '/apis', user: { username: 'ccm-migrate' }, responseStatus: { code: 200 } },
  requestReceivedTimestamp: '2026-11-21T10:00:00.000000Z',
  objectRef: { resource: 'leases', namespace: 'kube-system', name },
  ...changes,
});

/** The writes that the exported run has on record. */
function recorded(): readonly Members[] {
  return openExport(signedExport({ steps: 3 })).records.flatMap((record) => {
    const { intent } = (record as { entry: { intent?: { object: string } } }).entry;
    return intent === undefined ? [] : [event('update', intent.object.replace(/^.*\//, ''))];
  });
}

async function reconciled(events: readonly unknown[], ...more: readonly string[]) {
  const log = join(folder, 'audit.log');
  await writeFile(log, events.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const words = ['audit', 'reconcile', '--api-audit', log, join(folder, 'run.json'), ...more];
  return ran(words, { terminal: fakeTerminal({}) });
}

describe('audit reconcile', () => {
  it('passes where each write is on record, and each record was carried out', async () => {
    const others = [
      event('update', 'x', { user: { username: 'kubernetes-admin' } }),
      event('update', 'x', { [MOMENT]: 'RequestReceived' }),
      event('get', 'x'),
      event('create', 'x', { requestURI: '/api/v1/services?dryRun=All' }),
      event('create', '', { objectRef: { resource: 'selfsubjectaccessreviews' } }),
    ];
    const good = await reconciled([...recorded(), ...others]);
    expect(good).toMatchObject({ exit: 0, stderr: '' });
    expect(good.stdout).toMatch(
      /\d+ writes of ccm-migrate on record, 0 writes of the fence, 0 refused/,
    );
  });

  it.each<[string, Members, string]>([
    [
      'a Role',
      event('create', '', {
        objectRef: { resource: 'roles', namespace: 'kube-system' },
        requestObject: { metadata: { name: 'mine' } },
      }),
      'create roles kube-system/mine was carried out once, and is on record 0 times',
    ],
    [
      'an eviction',
      event('create', 'web-1', {
        objectRef: { resource: 'pods', subresource: 'eviction', namespace: 'web', name: 'web-1' },
      }),
      'create pods/eviction web/web-1 was carried out once',
    ],
    [
      'a Namespace',
      event('create', '', { objectRef: { resource: 'namespaces', namespace: 'a', name: 'a' } }),
      'create namespaces a was carried out once',
    ],
    [
      'something that was refused',
      event('update', 'other', { responseStatus: { code: 403 } }),
      'update leases kube-system/other was refused, and is not on record',
    ],
    [
      'an answer that is not known',
      event('update', 'other', { responseStatus: {} }),
      'update leases kube-system/other was refused, and is not on record',
    ],
  ])('fails for %s that no run recorded', async (_case, write, words) => {
    const found = await reconciled([...recorded(), write]);
    expect(found.exit).toBe(3);
    expect(found.stdout).toContain(words);
  });

  it('fails for a record that the server never saw', async () => {
    const found = await reconciled(recorded().slice(1), '-o', 'json');
    expect(found.exit).toBe(3);
    expect(JSON.parse(found.stdout)).toMatchObject({
      faults: [expect.stringContaining('takeFence')],
    });
  });

  it('says nothing about a log without one write of ours', async () => {
    const none = join(folder, 'none.json');
    const open = openExport(signedExport({ steps: 0 }));
    open.records.splice(0);
    await writeFile(none, closed(open, 'chain'));
    const log = join(folder, 'empty.log');
    await writeFile(log, '\n');
    const words = ['audit', 'reconcile', '--api-audit', log, none];
    expect((await ran(words, { terminal: fakeTerminal({}) })).exit).toBe(8);
  });

  it('refuses a log or an export that cannot be read, and exports of two clusters', async () => {
    expect((await reconciled([{ kind: 'Pod' }])).stderr).toContain(
      'line 1: no event of an audit log',
    );
    const typed = (...words: readonly string[]) =>
      ran(['audit', 'reconcile', ...words], { terminal: fakeTerminal({}) });
    const run = join(folder, 'run.json');
    expect((await typed(run)).stderr).toContain('--api-audit is required');
    expect((await typed(run, '--api-audit', '/nowhere')).stderr).toContain(
      '/nowhere cannot be read',
    );
    const log = join(folder, 'audit.log');
    expect((await typed(log, '--api-audit', log)).stderr).toContain(
      'is not an export of this tool',
    );
    const other = join(folder, 'other.json');
    const open = openExport(signedExport({ steps: 1 }));
    open.content['workflowId'] = 'cluster-migration/uid-2';
    await writeFile(other, closed(open, 'digest'));
    expect((await typed(run, other, '--api-audit', log)).stderr).toContain('of one cluster');
  });
});
