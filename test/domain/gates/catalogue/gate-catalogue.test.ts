import { describe, expect, it } from '@jest/globals';
import {
  availability,
  GATE_CATALOGUE,
  rangeText,
  READ_MINORS,
} from '../../../../domain/gates/catalogue/gate-catalogue.js';
import { MINORS } from '../../../../domain/managers/minors.js';
import { formulaOf, limitText } from '../../../../domain/gates/catalogue/measure-text.js';
import type { CatalogueGate } from '../../../../domain/gates/catalogue/catalogue-gate.js';

function gate(name: string): CatalogueGate {
  const [found] = GATE_CATALOGUE.filter((each) => each.name === name);
  if (found === undefined) throw new Error(`no gate ${name}`);
  return found;
}

/** The minors, of all that are supported, in which a manager serves what a gate needs. */
function servedIn(name: string, manager: 'kcm' | 'ccm', provider: string | null = null): string {
  const served = MINORS.filter(
    (minor) => availability(gate(name), { manager, minor, provider }).kind === 'served',
  );
  const [first, last] = [served.at(0), served.at(-1)];
  return first === undefined ? 'never' : `${String(first)}-${String(last)}`;
}

describe('the catalogue of gates', () => {
  it('names each gate once, and each gate beside which another one counts', () => {
    const names = GATE_CATALOGUE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const beside = GATE_CATALOGUE.flatMap(({ measure }) =>
      measure.kind === 'slow' && measure.beside !== null ? [measure.beside] : [],
    );
    expect(beside.filter((each) => !names.includes(each))).toEqual([]);
  });

  it('was read for every version that is supported', () => {
    expect([READ_MINORS.from, READ_MINORS.to]).toEqual([MINORS.at(0), MINORS.at(-1)]);
  });

  // Source: k8s.io/cloud-provider v0.21 to v0.36, the last patch of each; k8s.io/legacy-cloud-providers.
  it.each<[string, string, string]>([
    ['nodeSyncErrors', '27-36', '27-36'],
    ['nodeSyncLatency', '21-36', '21-36'],
    ['hostUpdateLatency', '21-36', '21-36'],
    ['taintRemovalDelay', 'never', '28-36'],
    ['initialNodeSyncDelay', 'never', '28-36'],
    ['serviceQueueStuck', '21-36', '21-36'],
    ['nodeQueueStuck', '26-36', '26-36'],
    ['cloudNodeProcessorStuck', 'never', '21-36'],
    ['awsApiErrors', 'never', 'never'],
  ])('%s is served by KCMs of 1.%s and CCMs of 1.%s', (name, kcm, ccm) => {
    expect([servedIn(name, 'kcm'), servedIn(name, 'ccm')]).toEqual([kcm, ccm]);
  });

  it.each<[string, string, string]>([
    ['awsApiErrors', 'aws', '21-26'],
    ['vsphereApiErrors', 'vsphere', '21-29'],
    ['gceApiErrors', 'gce', '21-30'],
    ['azureApiErrors', 'azure', '21-29'],
    ['azureApiErrors', 'gce', 'never'],
  ])('%s of a KCM with provider %s is served in 1.%s', (name, provider, minors) => {
    expect(servedIn(name, 'kcm', provider)).toBe(minors);
  });

  it.each<[string, Parameters<typeof availability>[1], string]>([
    ['nodeSyncErrors', { manager: 'kcm', minor: 26, provider: null }, 'served 1.27 and newer'],
    ['taintRemovalDelay', { manager: 'kcm', minor: 30, provider: null }, 'no KCM serves it'],
    ['awsApiErrors', { manager: 'kcm', minor: 26, provider: null }, 'served with provider aws'],
    ['awsApiErrors', { manager: 'kcm', minor: 27, provider: 'aws' }, 'served 1.21 to 1.26'],
    [
      'nodeSyncErrors',
      { manager: 'ccm', minor: 37, provider: null },
      'metrics of 1.37 were not read',
    ],
    [
      'nodeSyncErrors',
      { manager: 'ccm', minor: 20, provider: null },
      'metrics of 1.20 were not read',
    ],
  ])('%s of %j: %s', (name, serving, why) => {
    expect(availability(gate(name), serving)).toMatchObject({ why });
  });

  it('compares nothing with a KCM that counts other work or is not counted there', () => {
    const compared = GATE_CATALOGUE.filter(({ comparable }) => comparable);
    expect(compared.map(({ name }) => name)).toEqual([
      'nodeSyncErrors',
      'nodeSyncLatency',
      'hostUpdateLatency',
    ]);
    for (const { served } of compared) {
      expect(new Set(served.map(({ manager }) => manager))).toEqual(new Set(['kcm', 'ccm']));
    }
  });

  it.each<[string, string]>([
    [
      'nodeSyncErrors',
      'service_controller_nodesync_error_total / service_controller_loadbalancer_sync_total',
    ],
    // A failed call of AWS is in the counter of errors alone.
    [
      'awsApiErrors',
      'cloudprovider_aws_api_request_errors / (cloudprovider_aws_api_request_errors + cloudprovider_aws_api_request_duration_seconds_count)',
    ],
    [
      'taintRemovalDelay',
      '1 - node_controller_cloud_provider_taint_removal_delay_seconds_bucket{le="64"} / node_controller_cloud_provider_taint_removal_delay_seconds_count',
    ],
    ['nodeProcessorStuck', 'workqueue_longest_running_processor_seconds{name="node"}'],
    ['cloudNodeQueueBacklog', 'workqueue_depth{name="Nodes"}'],
  ])('%s measures %s', (name, formula) => {
    expect(formulaOf(gate(name).measure)).toBe(formula);
  });

  it.each<[string, string]>([
    ['nodeSyncErrors', 'above 5 %, or clearly above what was usual with the KCM'],
    ['taintRemovalDelay', 'above 1 %'],
    ['serviceQueueStuck', 'above 120 s, and so is one piece of it'],
    ['serviceProcessorStuck', 'above 120 s'],
    ['serviceQueueBacklog', 'does not fall after the first full resync'],
  ])('%s fails %s', (name, words) => {
    expect(limitText(gate(name))).toBe(words);
  });

  it('writes ranges as people do', () => {
    expect(rangeText({ from: 27, to: null })).toBe('1.27 and newer');
    expect(rangeText({ from: 21, to: 26 })).toBe('1.21 to 1.26');
  });
});
