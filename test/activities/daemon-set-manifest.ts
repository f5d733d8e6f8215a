import { OLD } from './simulator-policy.js';

/** A vendor's DaemonSet of a CCM, as an operator supplies it. */
export const DAEMON_SET = [
  'apiVersion: apps/v1',
  'kind: DaemonSet',
  'metadata: { name: vendor, namespace: kube-system }',
  'spec:',
  '  selector: { matchLabels: { component: cloud-controller-manager } }',
  '  template:',
  '    metadata: { labels: { component: cloud-controller-manager } }',
  '    spec:',
  '      serviceAccountName: cloud-controller-manager',
  '      hostNetwork: true',
  '      tolerations: [{ operator: Exists }]',
  '      containers:',
  '        - name: cloud-controller-manager',
  `          image: registry.k8s.io/cloud-controller-manager:v${OLD}`,
  '          command: [cloud-controller-manager, --cloud-provider=labcloud, --cluster-name=kubernetes, --bind-address=127.0.0.1]',
  '',
].join('\n');
