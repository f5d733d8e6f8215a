/**
 * The interface between the simulator's actors (processes, kubelets, machines, cloud) and its HTTP side (store,
 * access control, faults, server). Everything here is synchronous: the whole state of a cluster advances on one
 * `Clock`, so a seed and a list of events reproduce a run exactly. Times are milliseconds of simulated time since the
 * epoch.
 *
 * Contract: `testbed/simulator/store/object-store.ts` exports `createObjectStore: CreateObjectStore`;
 * `testbed/simulator/cluster/create-cluster.ts` exports `createCluster(spec): SimulatedCluster`.
 */
export type * from '../base/http/refusal.js';
export type * from '../base/machines/machine.js';
export type * from '../base/truth/truth.js';
export type * from './model/clock.js';
export type * from './model/cluster.js';
export type * from './model/nodes.js';
export type * from './model/stored-objects.js';
