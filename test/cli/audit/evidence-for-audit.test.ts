import { expect, it } from '@jest/globals';
import { evidenceForAudit } from '../../../cli/audit/evidence-for-audit.js';
import { optionReader } from '../../../cli/cli.js';

const SHARED = { CCM_MIGRATE_EVIDENCE_DATABASE: 'postgresql://auditor@db:5432/evidence' };
const HERE = { CCM_MIGRATE_STATE_DIR: '/nonexistent' };

it.each<readonly [string, Record<string, string>, Record<string, string>, string]>([
  ['of the database that workers share', {}, { ...HERE, ...SHARED }, 'PostgreSQL db:5432/evidence'],
  ['of a folder that is named, instead', { evidenceDir: '/e' }, SHARED, '/e'],
  ["of the workers' folder where there is no database", {}, HERE, '/nonexistent'],
])('an export is made %s', async (_name, options, env, place) => {
  const evidence = await evidenceForAudit({ options: optionReader(options), env });
  expect(evidence.place).toBe(place);
  await evidence.close();
});

it('an export is not made of a database whose name is wrong', async () => {
  const env = { CCM_MIGRATE_EVIDENCE_DATABASE: 'db' };
  await expect(evidenceForAudit({ options: optionReader({}), env })).rejects.toThrow(
    /CCM_MIGRATE_EVIDENCE_DATABASE must be/,
  );
});
