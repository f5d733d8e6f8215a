import { expect } from '@jest/globals';
import { Ajv } from 'ajv';
import { isSchemaName, jsonSchemaOf } from '../../../config/json-schemas.js';
import { fakeTerminal, ran } from '../fake-terminal.js';

/** The document of a command, checked against its published schema. */
export async function checkedDocument(
  ...words: readonly string[]
): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await ran([...words, '-o', 'json'], { terminal: fakeTerminal({}) });
  const content = JSON.parse(stdout) as { kind: string } & Record<string, unknown>;
  if (!isSchemaName(content.kind)) throw new Error(`no schema for ${content.kind}`);
  const check = new Ajv({ strict: false }).compile(jsonSchemaOf(content.kind));
  expect([check(content), check.errors]).toEqual([true, null]);
  return content;
}
