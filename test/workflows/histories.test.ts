import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type History,
  historyFromJSON,
  historyToJSON,
} from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { codeThatEncodes } from '../../workers/encode-failures.js';
import { openLab, type MigrationLab } from './support/migration-run.js';
import { SHAPES } from './support/history-shapes.js';

/**
 * One recorded history for each shape of a run. A change of workflow or rules that cannot replay them breaks every run in flight: give it a
 * new bundle beside the old one, then record again with CCM_RECORD_HISTORIES=1.
 */
const FOLDER = new URL('./histories/', import.meta.url);
const RECORD = process.env['CCM_RECORD_HISTORIES'] === '1';

/** Without what identifies the machine that recorded it; replay reads none of it. */
function anonymous(history: string): string {
  return history
    .replace(/"(identity|stickyQueue)": "[^"]*"/g, '"$1": "recorder"')
    .replace(/\b\d+@[\w.-]+/g, 'recorder')
    .split(hostname())
    .join('recorder')
    .replace(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""');
}

/** Paused midway under builds that people ran, not tests: those from before workers signed, and from before they counted who approved a wave. */
const OLDER_BUILDS = ['older-build-2026-11-26', 'older-build-2026-11-27'];

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

async function readHistory(file: URL): Promise<History> {
  return historyFromJSON(JSON.parse(await readFile(file, 'utf8')));
}

async function replays(history: History): Promise<void> {
  // Failures are in no command: a worker with keys replays what one without them wrote.
  for (const code of [lab.bundle, codeThatEncodes(lab.bundle)])
    await Worker.runReplayHistory({ workflowBundle: { code } }, history);
}

describe('recorded histories', () => {
  it.each(SHAPES)(
    'history $name replays against the current bundle',
    async ({ name, live }) => {
      const file = new URL(`${name}.json`, FOLDER);
      if (RECORD) {
        const handle = await lab.withWorker(() => live(lab));
        const history = historyToJSON(await handle.fetchHistory());
        await mkdir(FOLDER, { recursive: true });
        await writeFile(file, `${anonymous(history)}\n`);
      }
      expect(existsSync(file)).toBe(true);
      await replays(await readHistory(file));
    },
    60_000,
  );

  it.each(OLDER_BUILDS)(
    'history %s, of a real run that was open when its workers were replaced, replays against the current bundle',
    async (name) => {
      const history = await readHistory(new URL(`${name}.json`, FOLDER));
      expect(history.events?.length).toBeGreaterThan(100);
      await replays(history);
    },
    60_000,
  );
});
