import type { FoundDifference } from './compare.js';

/** An intended difference between a real API server and the simulator, and why nothing here can notice it. */
export interface ListedDifference {
  readonly code: string;
  readonly scenario?: RegExp;
  readonly call?: RegExp;
  readonly path: RegExp;
  /** Further condition on the two values. */
  readonly when?: (found: FoundDifference) => boolean;
  readonly why: string;
}

const onlyReal = ({ simulated }: FoundDifference): boolean => simulated === undefined;

export const LISTED: readonly ListedDifference[] = [
  {
    code: 'build',
    path: /answer\.body\.(git(Commit|TreeState)|buildDate|goVersion)$/,
    when: onlyReal,
    why: 'of /version only gitVersion is read, and major and minor by kubectl; the simulator has no build',
  },
  {
    code: 'podDefaults',
    path: /\.spec\.(tolerations|terminationGracePeriodSeconds|serviceAccount|securityContext|schedulerName|restartPolicy|priority|preemptionPolicy|enableServiceLinks|dnsPolicy)$/,
    when: onlyReal,
    why: 'defaults of a pod that no observation reads: nodeName, containers, labels and owner are what counts',
  },
  {
    code: 'containerDefaults',
    path: /\.containers\[\d+\]\.(resources|terminationMessagePath|terminationMessagePolicy|imagePullPolicy)$/,
    when: onlyReal,
    why: 'defaults of a container; a manifest is read for image, command, arguments and mounts, and compared by its own digest note',
  },
  {
    code: 'templateTime',
    path: /\.spec\.template\.metadata\.creationTimestamp$/,
    when: ({ real }) => real === null,
    why: 'a null that Go writes into every template, where nothing was ever created',
  },
  {
    code: 'templateGeneration',
    path: /\.metadata\.annotations(\.deprecated\.daemonset\.template\.generation)?$/,
    when: ({ real, simulated }) => simulated === undefined && isGeneration(real),
    why: 'an annotation that only clients of extensions/v1beta1 read; generation itself is counted the same way',
  },
  {
    code: 'conditionTimes',
    path: /\.status\.conditions\[\d+\]\.last(Heartbeat|Transition|Probe)Time$/,
    when: onlyReal,
    why: 'of a condition type and status are read; kubelets write all of it anyway',
  },
  {
    code: 'nodeInfo',
    path: /\.status(\.nodeInfo\.(?!kubeletVersion)\w+|\.daemonEndpoints)?$/,
    when: ({ scenario, simulated }) => simulated === undefined && /nodes|pods/.test(scenario),
    why: 'empty texts that Go writes into a Node without a kubelet; of nodeInfo only kubeletVersion is read',
  },
  {
    code: 'evictedCondition',
    scenario: /pods/,
    path: /\.status\.conditions\[1\]$/,
    when: onlyReal,
    why: 'the condition DisruptionTarget on an evicted pod is for Job controllers; a drain waits for the pod to go',
  },
  {
    code: 'podChangeDiff',
    scenario: /pods/,
    call: /change its arguments/,
    path: /message$/,
    why: 'the real message continues with a comparison of both specs in Go; nothing here changes a pod',
  },
  {
    code: 'serviceAddresses',
    scenario: /inventory/,
    path: /\.spec\.(clusterIPs?|ipFamilies|ipFamilyPolicy|internalTrafficPolicy|externalTrafficPolicy|allocateLoadBalancerNodePorts|ports\[\d+\]\.(targetPort|protocol|nodePort))$/,
    when: onlyReal,
    why: 'the simulator gives Services no addresses; an inventory reads their type and what their load balancer has',
  },
  {
    code: 'ingressMode',
    scenario: /inventory/,
    path: /\.ingress\[\d+\]\.ipMode$/,
    when: onlyReal,
    why: 'new in 1.30, read by kube-proxy; an inventory reads ip and hostname',
  },
  {
    code: 'volumeDefaults',
    scenario: /inventory/,
    path: /\.(spec\.(persistentVolumeReclaimPolicy|volumeMode)|status\.lastPhaseTransitionTime|metadata\.finalizers)$/,
    when: ({ call, simulated }) => simulated === undefined && /volume|inventory/.test(call),
    why: 'of a volume only the name of its source is read; volumes are made and deleted by others',
  },
  {
    code: 'doubledErrors',
    path: /details\.causes\[\d+\](\.(message|field))?$/,
    when: ({ scenario }) => /daemon-set|nodes/.test(scenario),
    why: 'some validations of a change run twice in the real server and report each cause twice; the message has it once',
  },
  {
    code: 'otherKindPatched',
    scenario: /malformed/,
    path: /message$/,
    when: ({ real }) => JSON.stringify(real).includes('illegal base64 data'),
    why: 'a ConfigMap patched into a Secret fails over its data before its kind; both are the same 422 of the patch',
  },
  {
    code: 'nestedUnknown',
    scenario: /strategic-patches/,
    path: /nonsense$|headers\.warning$|metadata\.(resourceVersion|generation)$|\.nonsense$/,
    why: 'which fields pod templates have is not modelled: what no pod has is kept and not warned of. The product writes templates that a real server has taken before',
  },
];

function isGeneration(real: unknown): boolean {
  const text = typeof real === 'string' ? real : JSON.stringify(real);
  return /^\{"deprecated\.daemonset\.template\.generation":"\d+"\}$|^\d+$/.test(text);
}

/** The rule that lists a difference; null for an unlisted one. */
export function listedAs(found: FoundDifference): ListedDifference | null {
  return LISTED.find((rule) => covers(rule, found)) ?? null;
}

function covers({ scenario, call, path, when }: ListedDifference, found: FoundDifference): boolean {
  return (
    (scenario?.test(found.scenario) ?? true) &&
    (call?.test(found.call) ?? true) &&
    path.test(found.path) &&
    (when?.(found) ?? true)
  );
}
