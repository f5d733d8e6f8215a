import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { isSchemaName, jsonSchemaOf } from '../../config/json-schemas.js';
import { ran } from './fake-terminal.js';

function accepted(document: { readonly kind: string }): boolean {
  if (!isSchemaName(document.kind)) throw new Error(`no schema is published for ${document.kind}`);
  const check = new Ajv({ strict: false }).compile(jsonSchemaOf(document.kind));
  return check(document);
}

describe('-o json', () => {
  it.each<[string, readonly string[]]>([
    ['LintReport', ['lint', 'config/examples/single-cluster']],
    ['LintReport', ['lint', 'package.json']],
    ['CodePage', ['explain', 'CCM4001']],
    ['CodeList', ['explain', '--list']],
    ['Version', ['version']],
    ['AuditVerification', ['audit', 'verify', 'package.json']],
  ])('%s is as published', async (kind, argv) => {
    const { stdout } = await ran([...argv, '-o', 'json']);
    const document = JSON.parse(stdout) as { readonly kind: string };
    expect(document.kind).toBe(kind);
    expect(accepted(document)).toBe(true);
  });

  it('is a stream that begins with its version with -o jsonl', async () => {
    const { stdout } = await ran(['explain', 'CCM4001', '-o', 'jsonl']);
    const [first, second] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(first).toEqual({ type: 'version', schema: 'ccm-migrate.dev/v1alpha1' });
    expect(second).toMatchObject({ kind: 'CodePage', code: 'CCM4001' });
  });
});
