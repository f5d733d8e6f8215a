import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MINORS } from '../../../../domain/managers/minors.js';
import { compileLeaderMigration } from '../../../../domain/managers/compile-leader-migration.js';
import { CLOUD_CONTROLLERS } from '../../../../domain/vocabulary.js';
import { askOracle, type OracleAnswer } from '../../../../testbed/lab/oracle/ask-oracle.js';
import { ensureOracle } from '../../../../testbed/lab/oracle/ensure-oracle.js';
import { describeInLab, isWholeLabWanted } from '../wanted.js';
import { ASKED_NAMES, compare } from './compare.js';
import { candidates, chosen, grouped, readCorpus, writeCorpus } from './corpus.js';
import { writtenFile } from './written-files.js';

/** Records the corpus again; read the diff before you commit it. */
const RECORDS = process.env['CCM_RECORD_CORPUS'] === '1';
const FILES = isWholeLabWanted ? 3000 : 1000;
/** The minor that decides which texts are good for the corpus. */
const CHOOSES = 30;
const LONG_MS = 15 * 60_000;

async function ask(minor: number, texts: readonly string[]): Promise<readonly OracleAnswer[]> {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  return askOracle(await ensureOracle(minor, { env: process.env, report }), texts, ASKED_NAMES);
}

/** Needs Go: each library is built once, in about 20 seconds. */
describeInLab('the real reader of Leader Migration files', () => {
  it.each(MINORS)(
    '1.%i reads files that people write as we predict',
    async (minor) => {
      const texts = fc.sample(writtenFile, FILES);
      const answers = await ask(minor, texts);
      const verdicts = answers.map((answer, nth) => ({
        text: texts[nth],
        ...compare(texts[nth] ?? '', minor, answer),
      }));
      expect(verdicts.filter(({ kind }) => kind === 'differ').slice(0, 5)).toEqual([]);
      expect(verdicts.some((one) => one.kind === 'agree' && one.accepted)).toBe(true);
    },
    LONG_MS,
  );

  it.each(MINORS)(
    '1.%i runs exactly what we compile for it under the migration lock',
    async (minor) => {
      const orders = (['kcm', 'ccm'] as const).flatMap((manager) =>
        fc
          .sample(fc.subarray([...CLOUD_CONTROLLERS], { minLength: 1 }), 20)
          .map((controllers) => ({ manager, version: `1.${String(minor)}.0`, controllers })),
      );
      const texts = orders.map(
        ({ manager, version, controllers }) =>
          compileLeaderMigration({ manager, version, lock: { name: 'a-lock', controllers } }).text,
      );
      const answers = await ask(minor, texts);
      const verdicts = answers.map((answer, nth) => compare(texts[nth] ?? '', minor, answer));
      expect(verdicts).toEqual(texts.map(() => ({ kind: 'agree', accepted: true })));
    },
    LONG_MS,
  );

  it(
    'the real readers still give the recorded answers',
    async () => {
      const all = candidates();
      const texts = chosen(all, await ask(CHOOSES, all));
      const known = new Map<number, readonly OracleAnswer[]>();
      for (const minor of MINORS) known.set(minor, await ask(minor, texts));
      const entries = texts.map((text, nth) =>
        grouped(
          text,
          MINORS.flatMap((minor) => {
            const answer = known.get(minor)?.[nth];
            return answer === undefined ? [] : [[minor, answer] as const];
          }),
        ),
      );
      if (RECORDS) writeCorpus(entries);
      expect(entries).toEqual(readCorpus());
    },
    LONG_MS,
  );
});
