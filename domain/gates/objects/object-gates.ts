/** A gate on what the API server shows of Services, routes and Nodes, in words for people. */
export interface ObjectGate {
  readonly name: string;
  /** What it notices. */
  readonly about: string;
  /** What it is judged by. */
  readonly reads: string;
  readonly fails: string;
  /** What it cannot see, for those who read a pass. */
  readonly blind: string;
  /** Where its facts were read. */
  readonly source: string;
}

/** All of them, in the order in which they are judged. */
export const OBJECT_GATES = [
  {
    name: 'servicesKeepWorking',
    about: 'Services whose load balancer fails now and did not before the first change',
    reads: 'Services, and the Events of the service controller about them',
    fails: 'a Service fails that did not before; suspects one that waits 10 min for its address',
    blind:
      'a load balancer that is broken without a call of the controller, and what Events no longer show after their hour',
    source:
      'k8s.io/cloud-provider controllers/service/controller.go v0.30.14; client-go tools/record/events_cache.go v0.30.14',
  },
  {
    name: 'routesKeepWorking',
    about: 'Nodes whose route cannot be made that could be made before',
    reads: 'Nodes, and the Events FailedToCreateRoute about them',
    fails: 'the route of a Node fails that did not fail before',
    blind: 'a route that was lost and is not needed by a call of the controller',
    source: 'k8s.io/cloud-provider controllers/route/route_controller.go v0.30.14',
  },
  {
    name: 'nodesGetInitialised',
    about: 'new Nodes that no CCM initialises',
    reads: 'the taint node.cloudprovider.kubernetes.io/uninitialized of Nodes, and their age',
    fails: 'a Node has had the taint for more than 2 min that did not have it at the start',
    blind: 'anything where no Node comes',
    source: 'k8s.io/cloud-provider controllers/node/node_controller.go v0.30.14; KEP-2395',
  },
  {
    name: 'cloudSight',
    about: 'a new owner that holds its Leases and does not see its cloud',
    reads: 'Events of the cloud controllers since the handover',
    fails: 'each call to the cloud that was told of since the handover has failed',
    blind: 'a cluster where nothing is told: then it is a note',
    source:
      'k8s.io/cloud-provider controllers/service/controller.go v0.30.14; health and Leases call no cloud',
  },
] as const satisfies readonly ObjectGate[];

export type ObjectGateName = (typeof OBJECT_GATES)[number]['name'];
