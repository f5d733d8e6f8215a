/** Guards of etcd's quorum: a member that shows no pod is one of unknown health, and no machine goes while there is one. */
const COUNTED = 'domain/observation/voting-members.ts';
const GATE = 'domain/gates/hard-gates.ts';
const gates = (only) => ({ tests: ['test/domain/gates/hard-gates.test'], only, composed: true });
const read = (only) => ({ tests: ['test/activities/observe/etcd.test'], only });

export const ETCD_GUARDS = [
  {
    name: 'etcd: a control-plane node without a pod of it has a member all the same',
    file: COUNTED,
    from: 'return [...members, ...unseen.map(({ name }) => unseenMember(name))];',
    to: 'return members;',
    ...gates('hard gates judge two nodes without a pod of etcd'),
  },
  {
    name: 'etcd: of such a member nothing is known',
    file: COUNTED,
    from: "healthy: 'unknown'",
    to: "healthy: 'yes'",
    ...gates('hard gates judge two nodes without a pod of etcd'),
  },
  {
    name: 'etcd: a machine on its way has no member that counts',
    file: COUNTED,
    from: "    ...machinesOrdered.filter(({ state }) => state !== 'failed').map(({ name }) => name),\n",
    to: '',
    ...gates('hard gates judge a machine that joins, without a pod of etcd yet'),
  },
  {
    name: 'etcd: a machine that has failed is on no way',
    file: COUNTED,
    from: ".filter(({ state }) => state !== 'failed')",
    to: '',
    ...gates('hard gates judge a machine that failed, without a pod'),
  },
  {
    name: 'etcd: where machines are replaced its members must be known',
    file: GATE,
    from: "if (etcd.topology === 'unknown' && Object",
    to: "if (etcd.topology === 'never' && Object",
    ...gates('hard gates judge an unknown etcd where machines are replaced'),
  },
  {
    name: 'etcd: where nodes stay it may be unknown',
    file: GATE,
    from: " && Object.values(reference.nodes).includes('replace')",
    to: '',
    ...gates('hard gates judge an unknown etcd where nodes stay'),
  },
  {
    name: 'etcd: a rule adds and removes no machine while a node shows no member',
    file: 'domain/decision/steps/step-rule.ts',
    from: '[] : countedMembers(observation);',
    to: '[] : etcd.members;',
    tests: ['test/domain/decision/next-step.test'],
    only: 'nextStep decides: a node that shows no member of a stacked etcd forbids adding another',
    composed: true,
  },
  {
    name: 'etcd: the check before the first step counts such members',
    file: 'domain/preflight/cluster-checks.ts',
    from: 'countedMembers(observation).filter(',
    to: 'observation.etcd.members.filter(',
    tests: ['test/domain/preflight/cluster-checks.test'],
    only: 'preflight checks the cluster: no etcd pod',
    composed: true,
  },
  {
    name: 'etcd: an audit counts such members',
    file: 'domain/invariants/cluster-invariants.ts',
    from: 'const members = countedMembers(observation);',
    to: 'const members = etcd.members;',
    tests: ['test/domain/invariants/check-invariants.test'],
    only: 'I4 one of two nodes shows no member',
    composed: true,
  },
  {
    name: 'etcd: what is unknown of other members stops the removal of a machine',
    file: 'activities/execute/preconditions.ts',
    from: " && gate !== 'quorum'",
    to: '',
    tests: ['test/activities/stories/machines.test'],
    only: 'no machine is removed while another node shows no member of etcd',
  },
  {
    name: 'etcd: where kubeadm says that it is on the nodes, none that shows it is no external one',
    file: 'activities/observe/control-plane.ts',
    from: " && external !== 'no'",
    to: '',
    ...read('reports etcd only where something answers for it'),
  },
  {
    name: 'etcd: a configuration that says nothing of etcd does not say where it runs',
    file: 'activities/observe/read-cached.ts',
    from: "memberOf(etcd, 'local').kind === 'absent' ? 'unknown' : 'no'",
    to: "memberOf(etcd, 'local').kind === 'absent' ? 'no' : 'no'",
    ...read('says whether etcd is external'),
  },
  {
    name: 'etcd: a simulated member ends with its manifest',
    file: 'testbed/simulator/cluster/create-cluster.ts',
    from: ' && machine.files.read(ETCD_MANIFEST) !== undefined',
    to: '',
    tests: ['test/testbed/simulator/machines/machines.test'],
    only: 'a member whose manifest was moved away is down',
  },
];
