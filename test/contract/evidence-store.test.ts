import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, jest } from '@jest/globals';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { textsFolder } from '../../activities/evidence/kept-texts.js';
import {
  createPostgresEvidenceStore,
  type PostgresEvidenceStore,
} from '../../activities/evidence/postgres-evidence-store.js';
import { runFile } from '../../activities/evidence/run-file.js';
import { parseEvidenceLines } from '../../domain/evidence/lines.js';
import { EVIDENCE_RUN as RUN } from '../support/evidence-given.js';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.js';
import {
  type EvidencePlace,
  type EvidencePlaces,
  evidenceStoreContract,
  type Harm,
} from './evidence-store.contract.js';

jest.setTimeout(120_000);

/** Until a change has a later time than the last one of the file: the kernel's clock ticks every few milliseconds. */
async function untilTheClockTicks(folder: string, file: string): Promise<void> {
  const changed = async (path: string): Promise<bigint> =>
    (await stat(path, { bigint: true })).ctimeNs;
  const last = await changed(file);
  const probe = join(folder, 'probe');
  do await writeFile(probe, 'x');
  while ((await changed(probe)) === last);
}

async function harmFile(folder: string, harm: Harm): Promise<void> {
  const file = runFile(folder, RUN);
  if (harm.kind === 'deleted') return rm(file, { force: true });
  const text = await readFile(file, 'utf8');
  const { atime, mtime } = await stat(file);
  await untilTheClockTicks(folder, file);
  await writeFile(file, harmedLines(text, harm));
  await utimes(file, atime, mtime);
}

function harmedLines(text: string, harm: Exclude<Harm, { kind: 'deleted' }>): string {
  switch (harm.kind) {
    case 'cut':
      return text.slice(0, text.indexOf('\n') + 1);
    case 'replaced':
      return harm.line;
    case 'altered':
      return text.replace(harm.from, harm.to);
  }
}

async function allFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

async function folders(): Promise<EvidencePlaces> {
  const made: string[] = [];
  return {
    empty: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-evidence-'));
      made.push(folder);
      return {
        open: (signer) => createFileEvidenceStore(folder, signer),
        harm: (harm) => harmFile(folder, harm),
        kept: () => allFiles(folder),
        harmText: async () => {
          const texts = textsFolder(runFile(folder, RUN));
          const [name = ''] = await readdir(texts);
          await writeFile(join(texts, name), 'other');
        },
      };
    },
    afterEach: async () => {
      for (const folder of made.splice(0)) await rm(folder, { recursive: true });
    },
    close: () => Promise.resolve(),
  };
}

/** The first record as its columns, because a replaced row has the hash of its line. */
async function harmRows({ asOwner }: PostgresServer, harm: Harm): Promise<void> {
  switch (harm.kind) {
    case 'deleted':
      await asOwner('DELETE FROM evidence.records');
      break;
    case 'cut':
      await asOwner('DELETE FROM evidence.records WHERE sequence > 0');
      break;
    case 'replaced': {
      const parsed = parseEvidenceLines(harm.line);
      const hash = parsed.kind === 'records' ? (parsed.records[0]?.hash ?? '') : '';
      await asOwner('DELETE FROM evidence.records WHERE sequence > 0');
      await asOwner('UPDATE evidence.records SET hash = $1, line = $2', [hash, harm.line]);
      break;
    }
    case 'altered':
      await asOwner('UPDATE evidence.records SET line = replace(line, $1, $2) WHERE sequence = 0', [
        ...[harm.from, harm.to],
      ]);
  }
}

async function databases(): Promise<EvidencePlaces> {
  const server = await startPostgres();
  const opened: PostgresEvidenceStore[] = [];
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  };
  const place: EvidencePlace = {
    open: (signer) => {
      const store = createPostgresEvidenceStore(server.worker, 'write', signer);
      opened.push(store);
      return store;
    },
    harm: (harm) => harmRows(server, harm),
    kept: async () => {
      const records = await server.asOwner('SELECT * FROM evidence.records');
      const texts = await server.asOwner('SELECT * FROM evidence.texts');
      const lines = records.map(({ line }) => String(line));
      return [JSON.stringify([records, texts]), ...lines].join('\n');
    },
    harmText: async () => {
      await server.asOwner("UPDATE evidence.texts SET text = 'other'");
    },
  };
  return {
    empty: async () => {
      await server.asOwner('TRUNCATE evidence.records, evidence.texts');
      return place;
    },
    afterEach: closeAll,
    close: () => server.close(),
  };
}

evidenceStoreContract('a folder', folders);

const why = whyNoPostgres();
if (why === null) {
  evidenceStoreContract('a PostgreSQL database', databases);
} else {
  describe('EvidenceStore in a PostgreSQL database', () => {
    it.todo(`not run: ${why}`);
  });
}
