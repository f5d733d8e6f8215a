import type { CatalogueEntry } from './finding.js';

const MODEL = 'step rules, checked by an exhaustive model of one- and three-node clusters';

/** CCM2xxx: the rules see no safe step. Each says what an operator can do about it. */
export const BLOCKED = {
  CCM2001: {
    title: 'A part of the cluster is unreadable, so it is unknown who runs the cloud controllers',
    severity: 'error',
    why: 'A manager that cannot be seen may be running the cloud controllers. Starting another one next to it can double-run them; stopping one can leave them without an owner.',
    fix: 'Restore access to the named part (node access, Lease or manifest), stop the named holder (it may run on a worker or outside the cluster), or prove that its machine is deleted, then check again.',
    source: `${MODEL}; kubernetes/controller-manager pkg/leadermigration/filter.go`,
  },
  CCM2002: {
    title: 'No baseline and no source template for a rollback',
    severity: 'error',
    why: 'The kube-controller-manager that ran before the first step is not recorded, so there is nothing to restore. policy.source has the version, image and provider, but not the other arguments.',
    fix: 'Restore ConfigMap kube-system/ccm-migrate-baseline from a backup of the cluster, then roll back again, or stay on the CCM (roll forward).',
    source: MODEL,
  },
  CCM2003: {
    title: 'No safe step applies to this state',
    severity: 'error',
    why: 'The rules found neither a repair nor a step. Every reachable state should have one, so this is a bug of ours or an unknown state.',
    fix: 'Leave the cluster as it is: nothing was changed. Save `ccm-migrate describe -o json` and report it.',
    source: MODEL,
  },
  CCM2004: {
    title: 'A node is unreachable and strategy gap has no lock to rely on',
    severity: 'error',
    why: 'In a gap migration only the proven absence of the old owner keeps two from running. An unreachable node may still run one.',
    fix: 'Bring the node back, or delete its machine at the provider and its Node, then check again.',
    source: 'KEP-2436, Leader Migration is the only mutual exclusion between the two managers',
  },
  CCM2005: {
    title: 'The state of etcd is unknown or unhealthy, so no machine may be replaced',
    severity: 'error',
    why: 'Removing a stacked control-plane node takes an etcd member away. With a learner, an unhealthy member or an unknown topology that can lose the data of the cluster.',
    fix: 'Repair etcd until every control-plane node has a member that is a healthy voter, or set nodes.forward to inPlace.',
    source:
      'etcd operations guide, runtime reconfiguration; kubeadm control-plane scale-down order',
  },
  CCM2006: {
    title: 'The step would put the quorum of the control plane at risk',
    severity: 'error',
    why: 'Another control-plane node is already unavailable. At most one may be unavailable at any time.',
    fix: 'Wait until the named node is Ready again, or remove it if its machine is gone for good.',
    source: 'etcd quorum is a majority of its voting members',
  },
  CCM2007: {
    title: 'A cloud-controller-manager workload belongs to someone else and needs an approval',
    severity: 'error',
    why: 'It is managed by another tool (for example Helm or Argo CD), which would undo our changes or bring the CCM back on nodes where it must not run.',
    fix: 'Stop the other tool from managing it, then another person than the requester gives `ccm-migrate approve RUN --code CCM2007 --reason …`; or remove the workload.',
    source: 'server-side apply field managers; labels app.kubernetes.io/managed-by',
  },
  CCM2008: {
    title: 'The source version has no in-tree cloud controllers, so a rollback is impossible',
    severity: 'error',
    why: 'The in-tree code of this provider was removed before that Kubernetes minor. A kube-controller-manager of it fails or runs no cloud controller.',
    fix: 'Stay on the CCM (roll forward), or set policy.source to a version that still has the code and that the API servers accept.',
    source:
      'kubernetes/cloud-provider plugins.go; kubernetes/legacy-cloud-providers v0.25 to v0.31',
  },
  CCM2009: {
    title: 'This cloud-controller-manager build does not honour Leader Migration',
    severity: 'error',
    why: 'It accepts the flags and ignores them (as the Azure build does), so it runs the cloud controllers under its main lock alone, next to the KCM.',
    fix: 'Use strategy gap, or a build that uses the app of k8s.io/cloud-provider.',
    source:
      'kubernetes-sigs/cloud-provider-azure cmd/cloud-controller-manager/app/controllermanager.go, v1.23 to v1.30',
  },
  CCM2010: {
    title: 'A paused process holds a lock, or still acts as its holder',
    severity: 'error',
    why: 'When it wakes up after its Lease expired, it acts as a second owner until its renew deadline (10 s by default).',
    fix: 'On the named node, end the process (`kill -9 PID`) or its machine, so that the kubelet starts it afresh; continue it (`kill -CONT`) only where no other process holds its locks. The run goes on by itself. With gates.staleHolder: kill in its policy a run ends the process itself.',
    source:
      'measured on 1.30.14: SIGSTOP until takeover, SIGCONT, two owners for 10.0 s in 2 of 2 runs',
  },
  CCM2011: {
    title: 'A manager would be newer than the oldest API server it can reach',
    severity: 'error',
    why: 'The version skew policy allows managers of the same minor as the API server or one older, never newer.',
    fix: 'Upgrade every API server behind that address first, or give each manager the address of its own API server.',
    source:
      'kubernetes.io version skew policy, kube-controller-manager and cloud-controller-manager',
  },
  CCM2012: {
    title: 'Automatic repair of source machines is not frozen',
    severity: 'error',
    why: 'A replacement from the old template starts a KCM without Leader Migration, which would run the cloud controllers next to the CCM.',
    fix: 'Freeze auto-repair and autoscaling of the control plane, or give its template the target manifests; then set machines.autoRepair: frozen and plan again. A run that holds follows its own plan, not an edited policy: `ccm-migrate skip RUN --code CCM2012 --reason …`.',
    source: MODEL,
  },
  CCM2013: {
    title: 'In-tree volumes or the node IPAM mode forbid an external kube-controller-manager',
    severity: 'error',
    why: 'With --cloud-provider=external the KCM has no in-tree volume plugins unless CSI migration is active, and it fails with --cidr-allocator-type=CloudAllocator. It may win the main lock at any crash.',
    fix: 'Finish CSI migration of the named PersistentVolumes and switch node IPAM to RangeAllocator or to the CCM, then check again. If both are done and a run still holds: `ccm-migrate skip RUN --code CCM2013 --reason …`.',
    source:
      'kubernetes/cloud-provider options/kubecloudshared.go v0.30; KCM cmd/kube-controller-manager/app/core.go',
  },
  CCM2014: {
    title: 'The source of the configuration of a cloud-controller-manager is unknown',
    severity: 'error',
    why: 'Something else (a systemd unit, a workload of another tool) starts it. We cannot protect or stop what we cannot edit: it would be restarted.',
    fix: 'Stop it with the named command, then check again. A CCM of this migration is a static pod or its own DaemonSet.',
    source: MODEL,
  },
  CCM2015: {
    title: 'The manifest of a manager cannot be read or edited',
    severity: 'error',
    why: 'Rewriting a manifest that was not understood could drop settings that the cluster needs.',
    fix: 'Correct the manifest at the named place, then check again.',
    source: 'Kubernetes Pod v1 API; our bounded, strict reading of manifests',
  },
  CCM2016: {
    title: 'A rollback is no longer possible: something irreversible has happened',
    severity: 'error',
    why: 'A rollback needs the source side unchanged. The finding names what is gone.',
    fix: 'Stay on the CCM (roll forward), or restore what is named and check again.',
    source: MODEL,
  },
  CCM2017: {
    title: 'The cluster shows no control-plane Nodes',
    severity: 'error',
    why: 'Its managers run where we cannot see them, as on a hosted control plane. What cannot be observed can neither be changed nor be proven to run nothing.',
    fix: 'Let the provider of the control plane migrate it. If the nodes are yours, label them node-role.kubernetes.io/control-plane.',
    source: 'kubeadm labels control-plane Nodes; hosted control planes register none',
  },
  CCM2018: {
    title: 'Several kube-controller-managers run the same cloud controllers',
    severity: 'error',
    why: 'They have main locks of different names, or no leader election at all, so nothing keeps them apart. No CCM is involved, and stopping a KCM also stops its other loops, so we do not choose which one to stop.',
    fix: 'Give the named KCMs one --leader-elect-resource-name and namespace and remove --leader-elect=false, then check again.',
    source:
      'component-base config/v1alpha1 LeaderElectionConfiguration; kubernetes/controller-manager pkg/leadermigration/util.go',
  },
  CCM2019: {
    title: 'The access that an administrator provides is missing or differs',
    severity: 'error',
    why: 'The policy says clusterAccess: provided, so runs create no Role and no binding. A manager without this access keeps its main lock, runs no cloud controller and still reports healthy.',
    fix: 'Let an administrator apply what `ccm-migrate access grants` prints for this cluster, then check again.',
    source: 'measured on real kube-controller-managers; k8s.io/client-go tools/leaderelection',
  },
  CCM2020: {
    title: 'A control-plane Node is missing, and nothing proves that its host is gone',
    severity: 'error',
    why: 'Deleting a Node stops nothing on its host: its kubelet and static pods run on, and it registers again only when it restarts. A kube-controller-manager there could win the main lock and run the cloud controllers next to the CCM.',
    fix: 'Restart the kubelet of the missing node, or give it its label back, so that it is listed again. If its machine is deleted or switched off for good, another person than the requester gives `ccm-migrate approve RUN --code CCM2020 --reason …`.',
    source: 'kubernetes/kubernetes#70897; kubelet registers its Node when it starts',
  },
  CCM2021: {
    title: 'The policy has a manager that is too old for the cluster as it is now',
    severity: 'error',
    why: 'The cluster was upgraded since the run was planned, for example while it was paused. The step would write a manager more than one minor older than the newest API server, or set one back that was upgraded.',
    fix: 'Stop the run (`ccm-migrate stop RUN --reason …`), give the policy the versions that the cluster has now, and plan again; or finish or undo the upgrade by your own means, and the run goes on by itself.',
    source:
      'kubernetes.io version skew policy, kube-controller-manager and cloud-controller-manager',
  },
} as const satisfies Record<string, CatalogueEntry>;
