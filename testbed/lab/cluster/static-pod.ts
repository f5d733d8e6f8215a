export interface Mount {
  readonly name: string;
  readonly path: string;
  readonly type: 'File' | 'FileOrCreate' | 'DirectoryOrCreate';
  /** Mounts are read only by default. */
  readonly writable?: boolean;
}

/** How a kubelet probes a container's liveness on the node's loopback. */
export interface Probe {
  readonly path: string;
  readonly port: number;
  readonly scheme: 'HTTP' | 'HTTPS';
}

export interface StaticPod {
  readonly name: string;
  readonly image: string;
  readonly arguments: readonly string[];
  readonly liveness: Probe;
  readonly startup: Probe;
  readonly cpu: string;
  readonly memory?: string;
  readonly mounts: readonly Mount[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A control-plane component as kubeadm writes it (cmd/kubeadm/app/util/staticpod, 1.29). */
export function staticPodManifest(pod: StaticPod): string {
  const { name, annotations = {} } = pod;
  const noted = Object.entries(annotations).map(([key, value]) => `    ${key}: ${value}`);
  return [
    'apiVersion: v1',
    'kind: Pod',
    'metadata:',
    ...(noted.length === 0 ? [] : ['  annotations:', ...noted]),
    '  creationTimestamp: null',
    '  labels:',
    `    component: ${name}`,
    '    tier: control-plane',
    `  name: ${name}`,
    '  namespace: kube-system',
    'spec:',
    '  containers:',
    ...container(pod),
    '  hostNetwork: true',
    '  priority: 2000001000',
    '  priorityClassName: system-node-critical',
    '  securityContext:',
    '    seccompProfile:',
    '      type: RuntimeDefault',
    '  volumes:',
    ...pod.mounts.flatMap(({ path, type, name: volume }) => [
      '  - hostPath:',
      `      path: ${path}`,
      `      type: ${type}`,
      `    name: ${volume}`,
    ]),
    'status: {}',
    '',
  ].join('\n');
}

function container(pod: StaticPod): readonly string[] {
  return [
    '  - command:',
    `    - ${pod.name}`,
    ...pod.arguments.map((argument) => `    - ${argument}`),
    `    image: ${pod.image}`,
    '    imagePullPolicy: IfNotPresent',
    ...probe('livenessProbe', pod.liveness, 8),
    `    name: ${pod.name}`,
    '    resources:',
    '      requests:',
    `        cpu: ${pod.cpu}`,
    ...(pod.memory === undefined ? [] : [`        memory: ${pod.memory}`]),
    ...probe('startupProbe', pod.startup, 24),
    '    volumeMounts:',
    ...pod.mounts.flatMap(({ path, name, writable = false }) => [
      `    - mountPath: ${path}`,
      `      name: ${name}`,
      ...(writable ? [] : ['      readOnly: true']),
    ]),
  ];
}

function probe(
  kind: string,
  { path, port, scheme }: Probe,
  failureThreshold: number,
): readonly string[] {
  return [
    `    ${kind}:`,
    `      failureThreshold: ${failureThreshold}`,
    '      httpGet:',
    '        host: 127.0.0.1',
    `        path: ${path}`,
    `        port: ${port}`,
    `        scheme: ${scheme}`,
    '      initialDelaySeconds: 10',
    '      periodSeconds: 10',
    '      timeoutSeconds: 15',
  ];
}
