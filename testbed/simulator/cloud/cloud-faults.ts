import type { Manager } from '../../../domain/vocabulary.js';
import type { CloudCall } from '../../base/truth/truth.js';
import type { Draws } from '../model/clock.js';

/** Whose calls a fault strikes: `node` are both node controllers. */
export const CLOUD_CALLERS = ['service', 'route', 'node'] as const;
export type CloudCallers = (typeof CLOUD_CALLERS)[number];

/** What the cloud does to calls: it refuses a share of them, answers none, or takes longer. */
export type CloudHarm =
  | { readonly cloud: 'fail'; readonly ratio: number; readonly error: string }
  | { readonly cloud: 'hang' }
  | { readonly cloud: 'slow'; readonly ms: number };

export const CLOUD_HARMS = ['fail', 'hang', 'slow'] as const;

export type OrderedCloudFault = CloudHarm & {
  readonly controller: CloudCallers;
  /** Both managers when absent. */
  readonly manager?: Manager;
  /** Only calls of this operation; all when absent. */
  readonly op?: string;
};

/** Whom a fault strikes, or whose faults end: everybody where nothing is said. */
export type CloudAim = Partial<Pick<OrderedCloudFault, 'controller' | 'manager'>>;

export const DEFAULT_CLOUD_ERROR = 'the cloud is out of order';

type StruckCall = Pick<CloudCall, 'controller' | 'manager' | 'op'>;

/** What the faults make of one call. */
export type CloudVerdict =
  | { readonly kind: 'answer'; readonly delayMs: number; readonly error: string | null }
  | { readonly kind: 'hang' };

const HEALTHY = { kind: 'answer', delayMs: 0, error: null } as const;

/** The faults of one cluster's cloud; each holds until it is replaced or healed. */
export class CloudFaults {
  private armed: readonly OrderedCloudFault[] = [];
  private readonly draws: Draws;
  private readonly onChange: () => void;

  /** `onChange` runs after each change, so that hanging calls are judged again. */
  constructor(draws: Draws, onChange: () => void) {
    this.draws = draws;
    this.onChange = onChange;
  }

  get list(): readonly OrderedCloudFault[] {
    return this.armed;
  }

  /** One more fault; it replaces the one that struck the same calls. */
  add(fault: OrderedCloudFault): void {
    const isSame = (one: OrderedCloudFault): boolean =>
      one.controller === fault.controller && one.manager === fault.manager && one.op === fault.op;
    this.replace([...this.armed.filter((one) => !isSame(one)), fault]);
  }

  replace(faults: readonly OrderedCloudFault[]): void {
    this.armed = faults;
    this.onChange();
  }

  /** Ends the faults that strike no one else. */
  heal({ controller, manager }: CloudAim = {}): void {
    this.replace(
      this.armed.filter(
        (one) =>
          (controller !== undefined && one.controller !== controller) ||
          (manager !== undefined && one.manager !== manager),
      ),
    );
  }

  /** The newest fault that strikes a call decides. */
  judge({ controller, manager, op }: StruckCall): CloudVerdict {
    const fault = this.armed.findLast(
      (one) =>
        one.controller === callersOf(controller) &&
        (one.manager ?? manager) === manager &&
        (one.op ?? op) === op,
    );
    if (fault === undefined) return HEALTHY;
    switch (fault.cloud) {
      case 'hang':
        return { kind: 'hang' };
      case 'slow':
        return { ...HEALTHY, delayMs: fault.ms };
      case 'fail': {
        const fails = fault.ratio >= 1 || this.draws.unit() < fault.ratio;
        return fails ? { ...HEALTHY, error: fault.error } : HEALTHY;
      }
    }
  }
}

function callersOf(controller: string): CloudCallers {
  return controller === 'service' || controller === 'route' ? controller : 'node';
}
