import type { Cancel, ChangeEvent, Draws, ObjectClient, StoredObject } from '../model.js';
import { keyOf } from '../store/metadata.js';
import type { ProcessClock, SeenObject } from './loop-context.js';

export interface InformerOptions {
  readonly resource: string;
  readonly client: ObjectClient;
  readonly timers: ProcessClock;
  readonly draws: Draws;
  /** Changes in the order of the API server; silent while the node is cut off. */
  readonly onChange: (resource: string, listener: (event: ChangeEvent) => void) => Cancel;
  readonly onReconnect: (listener: () => void) => Cancel;
  readonly onObject: (seen: SeenObject) => void;
}

/** Delay before a watcher receives a change, and before a rejected list is retried. */
const WATCH_DELAY_MS = [1, 6] as const;
const RELIST_MS = [1000, 3000] as const;

/** List, then watch, and list again after a disconnect: client-go's reflector without the full cache. */
export class Informer {
  private readonly options: InformerOptions;
  private readonly known = new Map<string, StoredObject>();
  private readonly cancels: Cancel[] = [];
  private synced = false;

  constructor(options: InformerOptions) {
    this.options = options;
    this.cancels.push(
      options.onChange(options.resource, (event) => {
        if (!this.synced) return;
        const delay = options.draws.between(...WATCH_DELAY_MS);
        options.timers.schedule(delay, () => {
          this.see(event.object, event.type === 'DELETED');
        });
      }),
      options.onReconnect(() => {
        if (this.synced) options.timers.schedule(options.draws.between(...RELIST_MS), this.list);
      }),
    );
  }

  readonly list = (): void => {
    const { client, resource, timers, draws } = this.options;
    const answer = client.list(resource);
    if (!answer.ok) {
      timers.schedule(draws.between(...RELIST_MS), this.list);
      return;
    }
    this.synced = true;
    const listed = new Set(answer.object.map(keyOf));
    for (const [key, object] of this.known) if (!listed.has(key)) this.see(object, true);
    for (const object of answer.object) this.see(object, false);
  };

  stop(): void {
    for (const cancel of this.cancels) cancel();
  }

  private see(object: StoredObject, gone: boolean): void {
    const key = keyOf(object);
    const previous = this.known.get(key) ?? null;
    if (!gone && previous?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    if (gone) this.known.delete(key);
    else this.known.set(key, object);
    this.options.onObject({ object, previous, gone });
  }
}
