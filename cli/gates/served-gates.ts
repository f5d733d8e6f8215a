import type { CatalogueGate } from '../../domain/gates/catalogue/catalogue-gate.js';
import {
  availability,
  rangeText,
  type Availability,
  type Serving,
} from '../../domain/gates/catalogue/gate-catalogue.js';
import { formulaOf, limitText } from '../../domain/gates/catalogue/measure-text.js';
import { minorOf } from '../../domain/managers/minors.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { OptionReader } from '../cli.js';
import { UsageError } from '../cli-error.js';

/** Versions and provider that were asked about; null for all. */
export interface AskedManagers {
  readonly kcm: Serving | null;
  readonly ccm: Serving | null;
}

/** @throws UsageError for what is no version. */
export function askedManagers(options: OptionReader): AskedManagers {
  const provider = options.text('provider');
  const asked = (manager: Manager): Serving | null => {
    const version = options.text(manager);
    if (version === null) return null;
    const minor = minorOf(version);
    if (minor !== null) return { manager, minor, provider };
    throw new UsageError(
      `--${manager} ${version}: a Kubernetes version is needed, such as 1.29 or 1.29.15`,
    );
  };
  return { kcm: asked('kcm'), ccm: asked('ccm') };
}

/** A gate as a machine reads it. */
export interface ListedGate {
  readonly name: string;
  readonly about: string;
  readonly measures: string;
  readonly limit: string;
  readonly blind: string;
  readonly source: string;
  readonly kcm: ListedServing;
  readonly ccm: ListedServing;
}

interface ListedServing {
  readonly kind: Availability['kind'] | 'notAsked';
  readonly text: string;
}

export function listedGate(gate: CatalogueGate, { kcm, ccm }: AskedManagers): ListedGate {
  return {
    ...{ name: gate.name, about: gate.about, measures: formulaOf(gate.measure) },
    ...{ limit: limitText(gate), blind: gate.blind, source: gate.source },
    kcm: servingText(gate, 'kcm', kcm),
    ccm: servingText(gate, 'ccm', ccm),
  };
}

function servingText(gate: CatalogueGate, manager: Manager, asked: Serving | null): ListedServing {
  if (asked === null) return { kind: 'notAsked', text: rangesOf(gate, manager) };
  const found = availability(gate, asked);
  return found.kind === 'served'
    ? { kind: 'served', text: 'yes' }
    : { kind: found.kind, text: `no: ${found.why}` };
}

function rangesOf({ served }: CatalogueGate, manager: Manager): string {
  const rows = served.filter((row) => row.manager === manager);
  return (
    rows
      .map(({ minors, provider }) =>
        [rangeText(minors), ...(provider === null ? [] : [`with ${provider}`])].join(' '),
      )
      .join(', ') || 'never'
  );
}
