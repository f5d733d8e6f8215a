import type { Fleet } from '../../config/fleet.js';
import { loadFleets } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import { didYouMean } from '../../config/nearest-name.js';
import type { Target } from '../../domain/vocabulary.js';
import type { Cli } from '../cli.js';
import { WrongUsage } from '../refusal.js';

export interface Chosen {
  readonly fleet: Fleet;
  readonly cluster: InventoryCluster;
}

/** The cluster that `-f` and `--cluster` mean. */
export async function chosenCluster({ options }: Cli): Promise<Chosen> {
  const files = options.texts('file');
  if (files.length === 0) throw new WrongUsage('-f is required: files or folders of the fleet');
  const fleets = await loadFleets(files);
  const all = fleets.flatMap((fleet) => fleet.clusters.map((cluster) => ({ fleet, cluster })));
  const wanted = options.text('cluster');
  const matches = wanted === null ? all : all.filter(({ cluster }) => cluster.name === wanted);
  const [first, second] = matches;
  const names = all.map(({ cluster }) => cluster.name);
  if (first === undefined) {
    throw new WrongUsage(
      `--cluster ${wanted ?? ''}: not in these files${didYouMean(wanted ?? '', names)}`,
    );
  }
  if (second !== undefined) {
    throw new WrongUsage(
      `the files name several clusters: choose one with --cluster (${names.join(', ')})`,
    );
  }
  return first;
}

export function chosenTarget({ options }: Cli): Target {
  return options.text('target') === 'kcm' ? 'kcm' : 'ccm';
}
