import type { CatalogueEntry } from './finding.js';

/** CCM3xxx: gates that were measured and did not pass. */
export const BREACHES = {
  CCM3001: {
    title: 'Two owners: a cloud controller runs in both managers',
    severity: 'error',
    why: 'Both change the same load balancers, routes and Nodes. Measured: both called the cloud for one Service 12 ms apart.',
    fix: 'The run stops the CCM that runs it first, without releasing its Lease, and then repairs the cause. If no run is active: `ccm-migrate apply`.',
    source: 'measured on 1.30.14; metric running_managed_controllers',
  },
  CCM3002: {
    title: 'No owner: a cloud controller has run nowhere for longer than the budget',
    severity: 'error',
    why: 'Load balancers, routes and dead Nodes are not reconciled, while /healthz stays green.',
    fix: 'Check which process holds the migration Lease and whether it runs the controllers; check access to the Lease. `ccm-migrate describe` names the next step.',
    source:
      'measured: KCM without the grant and external KCM with Leader Migration both run nothing, healthz ok',
  },
  CCM3003: {
    title: 'The quorum of the control plane is at risk',
    severity: 'error',
    why: 'More than one control-plane node or etcd member is unavailable.',
    fix: 'Bring the named node or member back; the run holds until then.',
    source: 'etcd quorum is a majority of its voting members',
  },
  CCM3004: {
    title: 'A controller manager keeps crashing',
    severity: 'error',
    why: 'A manager that cannot start protects nothing and cannot take over.',
    fix: 'Read its log (`crictl logs` on the node). Usual causes: an unknown flag or gate for its version, a bad Leader Migration file, an empty --cluster-cidr with routes on.',
    source: 'kubernetes/cloud-provider app/core.go; KCM cmd/kube-controller-manager/app',
  },
  CCM3005: {
    title: 'A node is not Ready',
    severity: 'error',
    why: 'The node lifecycle controller deletes a Node that is not Ready and that the cloud does not find.',
    fix: 'Bring the node back to Ready before the run continues.',
    source:
      'kubernetes/cloud-provider controllers/nodelifecycle v0.30; kubernetes/kubernetes#70897',
  },
  CCM3006: {
    title: 'A Lease duration became shorter than its holder expects',
    severity: 'error',
    why: 'A candidate takes the lock when the recorded duration has passed, while the holder acts until its own renew deadline. No check raises this.',
    fix: 'Give all managers the same lease duration and renew deadline.',
    source: 'kubernetes/client-go tools/leaderelection/leaderelection.go v0.26 and v0.27',
  },
  CCM3007: {
    title: 'The fence is lost: another run may change this cluster now',
    severity: 'error',
    why: 'Two runs that write at once undo each other. This one stops writing.',
    fix: 'Check which run holds Lease kube-system/ccm-migrate (`ccm-migrate status`). Continue there, or take over with `ccm-migrate apply --take-over --reason`.',
    source: 'fence Lease kube-system/ccm-migrate, epochs rise and never fall',
  },
  CCM3008: {
    title: 'A controller manager is stopped by a signal',
    severity: 'error',
    why: 'It keeps its place while another one takes its locks. When it wakes, it acts as a second owner until its own renew deadline has passed.',
    fix: 'On the named node, end the process (`kill -9 PID`), so that the kubelet starts it afresh; do not continue it (`kill -CONT`) while another one holds the locks. With gates.staleHolder: kill in its policy a run ends the process itself.',
    source: 'measured on 1.30.14: a holder that was stopped and continued acted for 10 s more',
  },
  CCM3009: {
    title: 'The address of a load balancer changed',
    severity: 'error',
    why: 'The new owner did not find the existing load balancer and created another one; clients of the old address break.',
    fix: 'Compare --cluster-name, cloud configuration and cluster tags of both managers; see CCM1301.',
    source:
      'kubermatic/kubermatic#5322; kubernetes/cloud-provider controllers/service/controller.go v0.30',
  },
  CCM3010: {
    title: 'A Node, providerID or pod range disappeared',
    severity: 'error',
    why: 'Pods of a deleted Node are gone, and so are the routes of its pod range.',
    fix: 'Hold the migration, restart the kubelet of the named node so that it registers again, and check the credentials of the CCM.',
    source:
      'kubernetes/kubernetes#70897, #63226; kubernetes/cloud-provider controllers/nodelifecycle',
  },
  CCM3011: {
    title: 'A gate could not be measured',
    severity: 'error',
    why: 'What cannot be measured is not known to be healthy; gates fail closed.',
    fix: 'Restore access to the named source (metrics, Lease, node) and retry.',
    source: 'gate contract of this project',
  },
  CCM3012: {
    title: 'A gate has no data yet',
    severity: 'warning',
    why: 'A missing series proves nothing; it must not count as a pass.',
    fix: 'Wait for the first samples, or check that the metric exists in this build.',
    source: 'kubernetes/cloud-provider controllers/{service,node}/metrics.go',
  },
  CCM3013: {
    title: 'A KCM without Leader Migration appeared next to a CCM',
    severity: 'error',
    why: 'If it wins its main lock it runs all cloud controllers and ignores the migration Lease. No check raises this.',
    fix: 'Find what created it (auto-repair, a hand edit) and stop that.',
    source:
      'measured: a KCM without Leader Migration took over and ran all three next to a stale migration Lease',
  },
  CCM3014: {
    title: 'A new Node keeps the uninitialized taint',
    severity: 'error',
    why: 'Only a running CCM removes it; until then nothing is scheduled there.',
    fix: 'Check that a CCM runs its cloud-node controller and finds the instance of this Node.',
    source: 'kubernetes/cloud-provider controllers/node/node_controller.go v0.30',
  },
  CCM3015: {
    title: 'Services, Nodes or volumes are not as they were at the start of the run',
    severity: 'error',
    why: 'A cloud controller, or someone else, changed what a migration leaves alone. What a new owner is expected to fill in is not counted. It never turns a run around.',
    fix: "The detail names the first objects, the worker's log up to 200. Find out who changed each: `kubectl get --show-managed-fields`. Corrected: `ccm-migrate retry`. As wanted: `ccm-migrate skip RUN --code CCM3015 --reason …`. Otherwise `ccm-migrate rollback`.",
    source: 'domain/comparison/fact-rules.ts, row by row; docs/comparison.md',
  },
  CCM3101: {
    title: 'A gate on metrics failed',
    severity: 'error',
    why: 'More of what the managers do goes wrong, or hangs, than before the migration or than its limit. Users of load balancers and new Nodes notice it before `kubectl` does.',
    fix: 'Read the log of the manager that owns the cloud controllers and the Events of its objects; `ccm-migrate gates explain GATE` says what is measured. Cured: `ccm-migrate retry`. Otherwise `ccm-migrate rollback`, or `ccm-migrate skip RUN --code CCM3101 --reason …`.',
    source: 'counted events: docs/adr/0018-counted-events.md; k8s.io/cloud-provider metrics',
  },
  CCM3102: {
    title: 'A gate on metrics or objects suspects harm',
    severity: 'warning',
    why: 'What goes wrong is more than chance explains, and too little to be sure. Nothing is changed and no soak goes on until it is clear. It never turns a run around.',
    fix: 'Wait: it ends after eight samples without further evidence, or becomes a failure. Meanwhile read the log of the manager that owns the cloud controllers.',
    source: 'counted events: docs/adr/0018-counted-events.md',
  },
  CCM3103: {
    title: 'A gate on metrics or objects cannot be measured',
    severity: 'error',
    why: 'Silence is not health: harm would not be noticed. Nothing is changed and no soak goes on until the gate is measured again. It never turns a run around.',
    fix: 'The detail says what could not be read and why. Grant get on the nonResourceURL /metrics, list on Services, Nodes and Events, check the node or the Prometheus, or leave the gate out in the policy of the next plan (gates.metrics: a name in `except` or `own`, or `catalogue: off`, `objects: off`). The run goes on by itself once it is measured.',
    source: 'k8s.io/component-base metrics; authorisation of /metrics in k8s.io/apiserver',
  },
  CCM3104: {
    title: 'Services, routes or Nodes fail that did not before the run',
    severity: 'error',
    why: 'The manager that owns the cloud controllers reports errors on them, or leaves new Nodes uninitialized. Objects that failed before the first write are not counted.',
    fix: 'Read the named Events (`kubectl describe`) and correct credentials, rights or quota of the owner: it tries again by itself, after at most 5 min. Once the gate passes: `ccm-migrate retry`, which accepts nothing that fails. A user broke the object: `ccm-migrate skip RUN --code CCM3104 --reason …`. Otherwise `ccm-migrate rollback`.',
    source:
      'k8s.io/cloud-provider controllers/{service,route,node} v0.30.14; client-go tools/record/events_cache.go v0.30.14',
  },
  CCM3105: {
    title: 'The new owner of the cloud controllers does not see the cloud',
    severity: 'error',
    why: 'It holds its Leases and reports health, but each call to the cloud that it told of has failed since the handover: nothing is reconciled.',
    fix: "Check the CCM's credentials, its cloud configuration and its right to read the Secret that holds them, and its log. Once a call has succeeded: `ccm-migrate retry`. Otherwise `ccm-migrate rollback`.",
    source:
      'k8s.io/cloud-provider controllers/service/controller.go v0.30.14; health and Leases call no cloud',
  },
  CCM3106: {
    title: 'The probe of the load balancers failed after the handover',
    severity: 'error',
    why: 'The owner of the cloud controllers did not make, or did not change, a load balancer in time: Services of users would wait as well.',
    fix: 'Read the Event that the detail names; check credentials, rights and quota of the owner, and whether gates.probes.balancer.within is enough for your cloud. `ccm-migrate retry` probes again. Otherwise `ccm-migrate rollback`, or `ccm-migrate skip RUN --code CCM3106 --reason …`.',
    source: 'k8s.io/cloud-provider controllers/service/controller.go v0.30.14; docs/probes.md',
  },
  CCM3107: {
    title: 'The probe of the load balancers failed before the first change',
    severity: 'error',
    why: 'The cluster does not serve load balancers as it is, so its migration could be blamed for it later. Nothing was changed, and it never turns a run around.',
    fix: 'Correct what the detail names, or raise gates.probes.balancer.within in the next plan; `ccm-migrate retry` probes again. To migrate all the same: `ccm-migrate skip RUN --code CCM3107 --reason …`.',
    source: 'k8s.io/cloud-provider controllers/service/controller.go v0.30.14; docs/probes.md',
  },
} as const satisfies Record<string, CatalogueEntry>;
