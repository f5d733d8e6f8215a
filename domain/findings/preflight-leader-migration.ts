import type { CatalogueEntry } from './finding.js';

/** CCM10xx: the two locks and what runs under them. */
export const LEADER_MIGRATION_FINDINGS = {
  CCM1001: {
    title: 'Leader election is off',
    severity: 'error',
    why: 'With --leader-elect=false a manager runs everything at once and silently ignores Leader Migration.',
    fix: 'Remove --leader-elect=false.',
    source: 'kubernetes/controller-manager pkg/leadermigration/util.go',
  },
  CCM1002: {
    title: 'The managers do not use the same migration Lease',
    severity: 'error',
    why: "The namespace of the migration lock is each process's own --leader-elect-resource-namespace. Two namespaces or names are two unrelated locks: both managers run the cloud controllers.",
    fix: 'Use one leaderName and one --leader-elect-resource-namespace everywhere.',
    source: 'kubernetes/cloud-provider app/controllermanager.go v0.30, leaderElectAndRun',
  },
  CCM1003: {
    title: 'The KCM does not run the service-account-token controller',
    severity: 'error',
    why: 'The migration lock is tried only after that controller has started. Without it the KCM keeps its main lock, runs no cloud controller, and /healthz says ok.',
    fix: 'Add "*" or serviceaccount-token-controller (serviceaccount-token up to 1.27) to --controllers.',
    source: 'KCM cmd/kube-controller-manager/app/controllermanager.go; measured on 1.30.14',
  },
  CCM1004: {
    title: 'Lease timings differ between the managers',
    severity: 'error',
    why: 'A candidate with a shorter lease duration can take the lock while the holder still acts; a longer one lengthens the handover.',
    fix: 'Give both managers the same --leader-elect-lease-duration and --leader-elect-renew-deadline. Only the retry period of the CCM may be shorter.',
    source:
      'kubernetes/client-go tools/leaderelection/leaderelection.go v0.26 and v0.27; openshift/cluster-cloud-controller-manager-operator#258',
  },
  CCM1005: {
    title: 'The Leader Migration file names controllers that this binary does not have',
    severity: 'error',
    why: 'Names are compared exactly and aliases are not applied: from 1.28 on, route and service match nothing and stay under the main lock, unprotected. Measured: both managers called the cloud for one Service 12 ms apart.',
    fix: 'Let the migration write the file: both spellings, each with component "*".',
    source:
      'kubernetes/controller-manager pkg/leadermigration/migrator.go; kubernetes/cloud-provider names/controller_names.go v0.28',
  },
  CCM1006: {
    title: 'Leader Migration is on without a file',
    severity: 'error',
    why: 'The built-in default of 1.28 and later names two controllers that do not exist, so load balancers and routes run twice. 1.21 has no default and does not start.',
    fix: 'Let the migration write an explicit file; never rely on the default.',
    source:
      'kubernetes/controller-manager pkg/leadermigration/config/default.go v0.28 to v0.36; measured',
  },
  CCM1007: {
    title: 'An external KCM has Leader Migration on',
    severity: 'error',
    why: 'It takes the migration Lease and runs nothing, so the CCM waits forever: a silent outage.',
    fix: 'Remove --enable-leader-migration from that KCM. The run does it first, the holder before the others.',
    source: 'kubernetes/kops#13241; measured on 1.30.14',
  },
  CCM1008: {
    title: 'The Leader Migration file of a manager is missing or cannot be read',
    severity: 'error',
    why: 'The manager does not start, or it runs with other settings than the file now has: the file is read once, at start.',
    fix: 'Let the migration rewrite it under a name derived from its content, which restarts the pod.',
    source: 'kubernetes/controller-manager pkg/leadermigration/config/config.go; measured',
  },
  CCM1009: {
    title: 'The name of the migration Lease is reserved or not valid',
    severity: 'error',
    why: 'A main lock and the migration lock in one object make two electors of one process share a record.',
    fix: 'Use cloud-provider-extraction-migration.',
    source: 'kubernetes/cloud-provider options/options.go; DNS-1123 subdomain names',
  },
  CCM1010: {
    title: 'This CCM build does not honour Leader Migration',
    severity: 'error',
    why: 'There is no lock between it and the KCM, so both run the cloud controllers.',
    fix: 'Use strategy gap.',
    source:
      'kubernetes-sigs/cloud-provider-azure cmd/cloud-controller-manager/app/controllermanager.go v1.23 to v1.30',
  },
  CCM1011: {
    title: 'The set of migrated controllers is not complete',
    severity: 'error',
    why: 'A cloud controller that is not listed runs under the main lock of each manager, without any mutual exclusion.',
    fix: 'List service, route and cloud-node-lifecycle; nodeipam only if the CCM implements it.',
    source: 'kubernetes/controller-manager pkg/leadermigration/filter.go',
  },
  CCM1012: {
    title: 'A feature gate or flag is refused or fatal in a version this manager will run',
    severity: 'error',
    why: 'An unknown gate makes the process exit at start; DisableCloudProviders=true makes an in-tree KCM exit only after it has won its lock, so it looks healthy until then.',
    fix: 'The migration removes or sets it in the manifests it writes; correct templates and other tools that write them.',
    source:
      'kubernetes/website feature-gates: ControllerManagerLeaderMigration removed 1.27, DisableCloudProviders on 1.29, locked 1.31, removed 1.33',
  },
  CCM1013: {
    title: 'Node IPAM is among the migrated controllers',
    severity: 'warning',
    why: 'Most CCMs do not implement it: then new nodes get no pod range. The KCM of the source side must list it too, from the first step.',
    fix: 'Keep it only if this CCM registers node-ipam-controller.',
    source: 'kubernetes/kubernetes#120411; kubernetes/cloud-provider-gcp#606',
  },
  CCM1014: {
    title: 'A cloud controller is assigned to another component',
    severity: 'error',
    why: 'A component string that is neither this manager nor "*" means: not started at all, under no lock. With a typo no manager runs it.',
    fix: 'Use component "*" for every entry.',
    source: 'kubernetes/controller-manager pkg/leadermigration/filter.go, migrator.go v0.22',
  },
  CCM1015: {
    title: 'Leader Migration lengthens ordinary failovers while it is on',
    severity: 'info',
    why: 'A KCM that takes over waits for the main lock and then for the migration lock: up to twice the lease duration.',
    fix: 'Nothing; turn it off after the soak with disableLeaderMigration.',
    source: 'kubernetes/cloud-provider app/controllermanager.go; measured 18 to 27 s',
  },
} as const satisfies Record<string, CatalogueEntry>;
