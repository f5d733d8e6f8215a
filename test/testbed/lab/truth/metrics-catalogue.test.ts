import { describe, expect, it, jest } from '@jest/globals';
import {
  availability,
  GATE_CATALOGUE,
  type Serving,
} from '../../../../domain/gates/catalogue/gate-catalogue.js';
import { parseExposition } from '../../../../domain/gates/samples/exposition.js';
import { isExposed, wantedFor } from '../../../../domain/gates/watch/measured-values.js';
import { minorOf } from '../../../../domain/managers/minors.js';
import type { Manager } from '../../../../domain/vocabulary.js';
import { ccm, external, kcm, node } from '../../simulator/environment.js';
import { describeInWholeLab } from '../wanted.js';
import { addressesOf } from './objects.js';
import { onLab } from './on-lab.js';
import { untilSo } from './until.js';

jest.setTimeout(1_800_000);

const VERSIONS = ['1.27.4', '1.29.15', '1.30.14'] as const;

/** A row that claims too much lets a gate wait for ever for its series; one that claims too little leaves harm unseen. */
describeInWholeLab('the catalogue of gates is what real managers serve', () => {
  describe.each(VERSIONS)('%s', (version) => {
    const lab = onLab({ nodes: 1, workers: 1, from: version, to: version });

    /** The page of a manager that owns the cloud controllers and has served a Service. */
    async function page(manager: Manager): Promise<string> {
      await lab.environment.untilOwnedBy(manager);
      await lab.environment.addService('seen');
      await untilSo('the Service has an address', async () => {
        const service = await lab.environment.service('seen');
        return service !== null && addressesOf(service).length > 0;
      });
      return lab.environment.ask('cp-1', manager, '/metrics');
    }

    it('a KCM that runs the cloud controllers serves what the catalogue says, and nothing else of it', async () => {
      await lab.environment.lay({ plans: [node(kcm({ version }))] });
      expectServed(await page('kcm'), serving('kcm', version));
    });

    it('a CCM serves what the catalogue says, and nothing else of it', async () => {
      const target = ccm({ version, migration: 'off' });
      await lab.environment.lay({ plans: [node(external({ version }), target)] });
      expectServed(await page('ccm'), serving('ccm', version));
    });
  });
});

function serving(manager: Manager, version: string): Serving {
  return {
    manager,
    minor: minorOf(version) ?? NaN,
    provider: manager === 'kcm' ? 'labcloud' : null,
  };
}

function expectServed(text: string, by: Serving): void {
  const wanted = GATE_CATALOGUE.flatMap(({ measure }) => wantedFor(measure));
  const page = parseExposition(text, wanted);
  if (page.kind !== 'page')
    throw new Error(`the page of the ${by.manager}: ${JSON.stringify(page)}`);
  const found = GATE_CATALOGUE.map((gate) => {
    const isServed = isExposed(page.families, gate.measure);
    return `${gate.name}: ${isServed ? 'served' : 'absent'}`;
  });
  const said = GATE_CATALOGUE.map((gate) => `${gate.name}: ${availability(gate, by).kind}`);
  expect(found).toEqual(said);
}
