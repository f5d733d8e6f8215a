import type { StoredObject } from '../model.js';
import type { NodeSyncRule } from '../versions/behaviour.js';
import type { SeenObject } from './loop-context.js';
import { providerIdOf, readyStatus } from './node-facts.js';

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** The Nodes that stand behind load balancers, by the rule of a version. */
export class HostSet {
  private readonly rule: NodeSyncRule;
  private readonly hosts = new Map<string, string>();
  private digested: string | null = null;
  private listed: readonly string[] | null = null;

  constructor(rule: NodeSyncRule) {
    this.rule = rule;
  }

  get size(): number {
    return this.hosts.size;
  }

  /** Takes a Node in and tells whether the service controller looks at its load balancers for it. */
  see({ object, previous, gone }: SeenObject): boolean {
    const { name } = object.metadata;
    const counts = !gone && this.counts(object);
    const identity = counts ? this.identity(object) : undefined;
    if (this.hosts.get(name) !== identity) {
      this.digested = null;
      this.listed = null;
      if (identity === undefined) this.hosts.delete(name);
      else this.hosts.set(name, identity);
    }
    if (gone || previous === null) return true;
    return counts !== this.counts(previous) || this.identity(previous) !== this.identity(object);
  }

  /** The same text for the same set. */
  digest(): string {
    this.digested ??= [...this.hosts]
      .map(([name, identity]) => `${name}=${identity}`)
      .sort()
      .join();
    return this.digested;
  }

  /** All of their names; the same array for the same set. */
  list(): readonly string[] {
    this.listed ??= [...this.hosts.keys()].sort();
    return this.listed;
  }

  /** Names for a message, 20 at most. Source: CP controllers/service/controller.go loggableNodeNames. */
  names(): string {
    const names = [...this.hosts.keys()];
    const shown = names.slice(0, 20).sort();
    return `[${[...shown, ...(names.length > 20 ? [`<${String(names.length - 20)} more>`] : [])].join(' ')}]`;
  }

  private counts(node: StoredObject): boolean {
    const isExcluded = Object.hasOwn(node.metadata.labels ?? {}, EXCLUDED);
    return !isExcluded && (this.rule.countsUnready || readyStatus(node) === 'True');
  }

  private identity(node: StoredObject): string {
    return this.rule.byProviderId ? providerIdOf(node) : '';
  }
}
