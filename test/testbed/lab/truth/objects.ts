/** The parts of API objects that the stories read. */
export interface LeaseObject {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: {
    readonly holderIdentity?: string;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export interface ServiceObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly type: string };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { ip: string }[] } };
}

export function loadBalancerService(name: string): object {
  const spec = { type: 'LoadBalancer', selector: { app: name }, ports: [{ port: 80 }] };
  return { metadata: { name }, spec };
}

/** Its addresses; empty while none is assigned. */
export function addressesOf({ status }: ServiceObject): readonly string[] {
  return (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
}

export interface PodObject {
  readonly metadata: {
    readonly uid: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly state?: { readonly waiting?: { readonly reason: string } };
      readonly lastState?: { readonly terminated?: { readonly exitCode: number } };
    }[];
  };
}
