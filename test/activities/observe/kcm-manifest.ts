/** A KCM as its manifest says it. */
export interface WrittenKcm {
  /** What it is run with. */
  readonly words: readonly string[];
  /** One mount of a volume, as YAML; none where empty. */
  readonly mount?: string;
  readonly volume?: string;
}

export function kcmManifest({ words, mount = '', volume = '' }: WrittenKcm): string {
  return [
    'apiVersion: v1',
    'kind: Pod',
    'metadata: { name: kube-controller-manager, namespace: kube-system }',
    'spec:',
    '  containers:',
    '    - name: kube-controller-manager',
    '      image: registry.k8s.io/kube-controller-manager:v1.30.14',
    `      command: [kube-controller-manager, ${words.map((word) => `"${word}"`).join(', ')}]`,
    ...(mount === '' ? [] : [`      volumeMounts: [{ name: lm, ${mount} }]`]),
    ...(volume === '' ? [] : [`  volumes: [{ name: lm, ${volume} }]`]),
    '',
  ].join('\n');
}
