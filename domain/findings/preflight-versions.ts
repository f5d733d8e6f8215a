import type { CatalogueEntry } from './finding.js';

/** CCM11xx: versions and providers. CCM13xx: settings that must agree. */
export const VERSION_FINDINGS = {
  CCM1101: {
    title: 'The in-tree provider has no cloud controllers at the source version',
    severity: 'error',
    why: 'The code of this provider was removed before that Kubernetes minor; a KCM with it fails or runs nothing.',
    fix: 'Migrate on the last minor that has it: openstack 1.25, aws 1.26, azure and vsphere 1.29, gce 1.30.',
    source:
      'kubernetes/cloud-provider plugins.go; kubernetes/legacy-cloud-providers v0.25 to v0.31',
  },
  CCM1102: {
    title: 'A manager is or would be newer than an API server it can reach',
    severity: 'error',
    why: 'The version skew policy allows the same minor or one older, never newer.',
    fix: 'Upgrade all API servers behind the shared address first.',
    source: 'kubernetes.io version skew policy',
  },
  CCM1103: {
    title: 'An API server uses a cloud flag that 1.33 no longer knows',
    severity: 'warning',
    why: '--cloud-provider and --cloud-config were removed from kube-apiserver in 1.33: it would not start.',
    fix: 'Remove them from the API server manifests and from kubeadm-config before that upgrade.',
    source: 'kubernetes/kubernetes#130162',
  },
  CCM1104: {
    title: 'Leader Migration does not exist in this version, or is untested in it',
    severity: 'error',
    why: 'Names, file versions and flags are known for 1.21 to 1.36.',
    fix: 'Use a version in that range.',
    source: 'kubernetes/controller-manager v0.21 to v0.36',
  },
  CCM1105: {
    title: 'The target version is older than the source version',
    severity: 'error',
    why: 'A forward migration does not downgrade managers.',
    fix: 'Set policy.target.version to the source version or one minor newer.',
    source: 'kubernetes.io version skew policy',
  },
  CCM1106: {
    title: 'A manager is more than one minor older than the newest API server',
    severity: 'error',
    why: 'The version skew policy allows at most one minor.',
    fix: 'Use a manager of the minor of the API servers, or one older.',
    source: 'kubernetes.io version skew policy',
  },
  CCM1107: {
    title: 'The running KCM differs from policy.source',
    severity: 'warning',
    why: 'A rollback would restore another version, image or provider than the one running today.',
    fix: 'Correct policy.source, or confirm that the difference is intended.',
    source: 'baseline of this project',
  },
  CCM1108: {
    title: 'The KCM side and the CCM spell controller names differently',
    severity: 'info',
    why: 'Names changed at 1.28. The files we write list both spellings, which is harmless on either side.',
    fix: 'Nothing. Do not share a hand-written file between both sides.',
    source:
      'kubernetes/cloud-provider names/controller_names.go v0.28; kubernetes/kubernetes#115813',
  },
  CCM1109: {
    title: 'The KCM has settings that the target version refuses',
    severity: 'warning',
    why: 'A manager exits at start on a flag or feature gate that it does not know, or on another value of a locked gate. They are therefore left out of the new manifest.',
    fix: 'Nothing for a flag that no longer had an effect. Otherwise decide whether you need its effect; a rollback restores it.',
    source:
      'kubernetes/kubernetes cmd/kube-controller-manager/app/options and pkg/features v1.21.0 to v1.36.0; kubernetes/kops#15909',
  },
  CCM1301: {
    title: 'The managers use different cluster names',
    severity: 'error',
    why: 'Load balancers and routes are found by --cluster-name: another name creates new ones, with new addresses, and leaks the old ones.',
    fix: 'Give the CCM the --cluster-name of the KCM (default kubernetes).',
    source:
      'kubermatic/kubermatic#5322; cloud-provider-openstack pkg/openstack/loadbalancer.go v1.31',
  },
  CCM1302: {
    title: 'The managers use different pod ranges',
    severity: 'error',
    why: 'A CCM with a wider --cluster-cidr deletes foreign routes inside it.',
    fix: 'Give the CCM the --cluster-cidr of the KCM.',
    source: 'kubernetes/cloud-provider controllers/route/route_controller.go v0.30',
  },
  CCM1303: {
    title: 'The managers do not agree whether routes are managed',
    severity: 'error',
    why: 'The KCM needs --allocate-node-cidrs and --configure-cloud-routes for it, the CCM reads only the second, and its default is true.',
    fix: 'Set --configure-cloud-routes in the CCM to what the KCM does effectively.',
    source: 'kubernetes/cloud-provider app/core.go, commit f9aa959',
  },
  CCM1304: {
    title: 'Routes are on without a usable --cluster-cidr',
    severity: 'error',
    why: 'The CCM exits with an error after it has won its lock, so it looks healthy until then.',
    fix: 'Give it the --cluster-cidr of the KCM, or --configure-cloud-routes=false.',
    source: 'kubernetes/cloud-provider app/core.go processCIDRs',
  },
  CCM1305: {
    title: 'The managers use different cloud configurations',
    severity: 'warning',
    why: 'Another project, region or tag makes the CCM look for the load balancers and instances elsewhere.',
    fix: 'Compare both files; they may differ only in what the CCM build needs. Those of vSphere always differ (INI and YAML) and are not compared.',
    source:
      'kubernetes/cloud-provider options/kubecloudshared.go; kubernetes/cloud-provider-vsphere v1.30.1 pkg/common/config/config.go',
  },
  CCM1306: {
    title: 'The node IPAM mode does not work with an external KCM',
    severity: 'error',
    why: '--cidr-allocator-type=CloudAllocator needs an in-tree provider: the external KCM fails after it has won its lock.',
    fix: 'List nodeipam among the migrated controllers where the CCM implements it, or use RangeAllocator.',
    source: 'KCM cmd/kube-controller-manager/app/core.go, startNodeIpamController',
  },
  CCM1307: {
    title: 'The KCMs of this cluster are not configured alike',
    severity: 'warning',
    why: 'What the cluster does then depends on which one leads.',
    fix: 'Make the named setting equal on all control-plane nodes.',
    source: 'kubeadm writes the same manifest on every node',
  },
  CCM1308: {
    title: 'The managers do not agree which cloud controllers run',
    severity: 'error',
    why: 'What --controllers of the KCM switches off is unmanaged today, or managed by another component. A CCM with another list would start to manage load balancers or Nodes that the KCM did not, or abandon those that it did.',
    fix: 'Remove --controllers from the manifest of the CCM: what the KCM has switched off is taken over. Or make all lists equal.',
    source:
      'kubernetes/controller-manager app/helper.go IsControllerEnabled; kubernetes/cloud-provider options/options.go',
  },
  CCM1309: {
    title: 'A CCM has another main lock than the CCMs of this migration',
    severity: 'warning',
    why: 'Two main locks are two leading CCMs. What is not under the migration lock, such as initialising nodes, then runs twice; without Leader Migration everything does.',
    fix: 'Give it the named lock (--leader-elect-resource-name and --leader-elect-resource-namespace), or remove it before a CCM of ours starts.',
    source:
      'k8s.io/cloud-provider app/controllermanager.go; component-base LeaderElectionConfiguration',
  },
} as const satisfies Record<string, CatalogueEntry>;
