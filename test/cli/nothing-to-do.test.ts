import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { optionReader, type Cli } from '../../cli/cli.js';
import { nothingToStart } from '../../cli/commands/apply-fleet.js';
import { nothingToDo } from '../../cli/plan/agreed-plan.js';
import { readPlan } from '../../cli/plan/saved-plan.js';
import { createTheme } from '../../cli/terminal/theme.js';
import { isSchemaName, jsonSchemaOf } from '../../config/json-schemas.js';
import { withFiles } from '../config/given-files.js';
import { fakeTerminal, ran } from './fake-terminal.js';
import { exampleFleet, givenFleetPlan } from './plan/given-fleet-plan.js';
import { planText } from './plan/given-plan.js';

function programCli() {
  const terminal = fakeTerminal();
  const cli: Cli = {
    ...{ terminal, theme: createTheme({ color: false, ascii: false }), output: 'json', env: {} },
    ...{ signal: new AbortController().signal, options: optionReader({}) },
    ...{ arguments: [], typed: [] },
  };
  return { cli, printed: () => publishedDocument(terminal.stdout()) };
}

function publishedDocument(text: string): Record<string, unknown> & { readonly kind: string } {
  const document = JSON.parse(text) as Record<string, unknown> & { readonly kind: string };
  if (!isSchemaName(document.kind)) throw new Error(`no schema for ${document.kind}`);
  expect(new Ajv({ strict: false }).compile(jsonSchemaOf(document.kind))(document)).toBe(true);
  return document;
}

describe('-o json prints a document', () => {
  it('where the plan of a cluster has no steps', async () => {
    await withFiles({ 'plan.json': await planText() }, async (folder) => {
      const { cli, printed } = programCli();
      const plan = await readPlan(`${folder}/plan.json`);
      expect(nothingToDo(cli, 'apply', { plan })).toBe('reached');
      expect(printed()).toMatchObject({
        ...{ kind: 'CommandResult', cluster: 'prod-1', verb: 'apply', state: 'nothingToDo' },
      });
    });
  });

  it('where no cluster of a fleet has steps', async () => {
    const { cli, printed } = programCli();
    const plan = await givenFleetPlan(await exampleFleet(), []);
    expect(nothingToStart(cli, plan)).toBe('reached');
    expect(printed()).toMatchObject({ kind: 'FleetCommandResult', state: 'nothingToDo' });
  });

  it('but an error where clusters are left out and no other has steps', async () => {
    const { cli } = programCli();
    const plan = await givenFleetPlan(await exampleFleet(), []);
    const left = { name: 'c1', kind: 'unreachable', seen: 'no answer', fix: 'Check it.' } as const;
    const skipped = [{ ...left, code: 'CCM4011', wave: 0 }];
    expect(() => nothingToStart(cli, { ...plan, skipped })).toThrow(
      expect.objectContaining({ code: 'CCM4042', fix: 'Check it.' }),
    );
  });

  it('where a verb goes on in the background', async () => {
    await withFiles({}, async (folder) => {
      const words = ['--nodes', '1', '--state-dir', `${folder}/sim`, '-o', 'json'];
      const { exit, stdout } = await ran(['simulator', '--background', ...words], {
        env: { PATH: process.env['PATH'] ?? '' },
      });
      const document = publishedDocument(stdout);
      process.kill(Number(document['pid']), 'SIGTERM');
      expect(exit).toBe(0);
      expect(document).toMatchObject({ kind: 'BackgroundStarted', verb: 'simulator' });
    });
  });
});
