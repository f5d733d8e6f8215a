import type { ApiObject } from '../ports.js';

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  /** By the node's clock, whole seconds. */
  readonly lastHeartbeatTime?: string;
}

/** Kubernetes objects in the few fields that an observation reads (core/v1, apps/v1). */
export interface NodeObject extends ApiObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly providerID?: string;
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly taints?: readonly { readonly key: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly NodeCondition[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly finishedAt?: string };
}

export interface PodObject extends ApiObject {
  readonly metadata?: ApiObject['metadata'] & {
    readonly creationTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind?: string; readonly name?: string }[];
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly image?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount?: number;
      readonly state?: ContainerState;
      readonly lastState?: ContainerState;
    }[];
  };
}

export interface ServiceObject extends ApiObject {
  readonly spec?: { readonly type?: string };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

export interface VolumeObject extends ApiObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly phase?: string };
}

export interface ConfigMapObject extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const CONTROL_PLANE_LABEL = 'node-role.kubernetes.io/control-plane';

export function nameOf(object: { readonly metadata?: { readonly name?: string } }): string {
  return object.metadata?.name ?? '';
}
