import type { CloudFault } from './cloud/cloud-call.js';
import type { LabCluster } from './cluster/lab-cluster.js';
import type { Lab } from './lab.js';
import type { ManagerName } from './nodes/lab-node.js';

/** What can be let happen to a lab. `cluster` is the first one where it is not named. */
export type LabFault =
  | {
      readonly kind: 'crashNode' | 'bootNode' | 'cutNetwork' | 'mendNetwork';
      readonly node: string;
    }
  | {
      readonly kind: 'killManager' | 'pauseManager' | 'resumeManager';
      readonly node: string;
      readonly manager: ManagerName;
    }
  | { readonly kind: 'killApiServer' | 'restoreApiServer' }
  | { readonly kind: 'setCloudFaults'; readonly faults: readonly CloudFault[] };

const SIGNALS = {
  killManager: 'SIGKILL',
  pauseManager: 'SIGSTOP',
  resumeManager: 'SIGCONT',
} as const;

/** Lets a fault happen; it has happened when this resolves. */
export async function letHappen(lab: Lab, cluster: LabCluster, fault: LabFault): Promise<string> {
  switch (fault.kind) {
    case 'crashNode':
      await cluster.node(fault.node).crash();
      return `${fault.node} has crashed`;
    case 'bootNode':
      cluster.node(fault.node).boot();
      return `${fault.node} boots`;
    case 'cutNetwork':
      await cluster.node(fault.node).switchNetwork('down');
      return `the cable of ${fault.node} is cut`;
    case 'mendNetwork':
      await cluster.node(fault.node).switchNetwork('up');
      return `the cable of ${fault.node} is mended`;
    case 'killManager':
    case 'pauseManager':
    case 'resumeManager': {
      const count = cluster.node(fault.node).signalManager(fault.manager, SIGNALS[fault.kind]);
      if (count > 0) return `${SIGNALS[fault.kind]} to ${count} process(es) on ${fault.node}`;
      throw new Error(`no ${fault.manager} runs on ${fault.node}`);
    }
    case 'killApiServer':
      await cluster.apiServer.kill();
      return `the API server of ${cluster.name} is gone`;
    case 'restoreApiServer':
      cluster.apiServer.restore();
      return `the API server of ${cluster.name} starts`;
    case 'setCloudFaults':
      lab.cloud.setFaults(fault.faults);
      return `${fault.faults.length} fault(s) of the cloud are set`;
  }
}
