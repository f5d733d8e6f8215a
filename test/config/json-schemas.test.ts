import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '../../domain/yaml/parsed-documents.js';
import { jsonSchemaOf, jsonSchemaText, SCHEMA_NAMES } from '../../config/json-schemas.js';
import { CCM_POD, FLEET, INVENTORY, POLICY } from './given-files.js';

const WRITTEN = { FleetMigration: FLEET, ClusterInventory: INVENTORY, MigrationPolicy: POLICY };

it.each(SCHEMA_NAMES)('the published schema of %s is the one that is enforced', async (name) => {
  // Update with: ccm-migrate schema NAME > config/schema/NAME.json
  expect(await readFile(`config/schema/${name}.json`, 'utf8')).toBe(jsonSchemaText(name));
});

describe.each(['FleetMigration', 'ClusterInventory', 'MigrationPolicy'] as const)('%s', (kind) => {
  it('the schema accepts what the loader accepts', () => {
    const accepts = new Ajv({ strict: false, formats: { date: true, 'date-time': true } }).compile(
      jsonSchemaOf(kind),
    );
    expect(accepts(parseYamlDocuments(WRITTEN[kind]).documents[0]?.value)).toBe(true);
    expect(accepts(parseYamlDocuments(CCM_POD).documents[0]?.value)).toBe(false);
  });
});
