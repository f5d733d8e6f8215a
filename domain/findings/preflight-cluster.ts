import type { CatalogueEntry } from './entry.js';

/** CCM12xx: nodes. CCM14xx: access and workloads. CCM15xx: everything else in the cluster. */
export const CLUSTER = {
  CCM1201: {
    title: 'A node is not Ready',
    severity: 'error',
    why: 'The node lifecycle controller deletes a Node that is not Ready and that the cloud does not find with the credentials of the CCM.',
    fix: 'Bring it back, or remove the Node and its machine.',
    source:
      'kubernetes/cloud-provider controllers/nodelifecycle v0.30; kubernetes/kubernetes#70897',
  },
  CCM1202: {
    title: 'A node has no providerID',
    severity: 'warning',
    why: 'The CCM sets it only on nodes with the uninitialized taint. Without it instances are looked up by name, which can miss.',
    fix: 'Check that the instance name equals the Node name, or re-create the node.',
    source:
      'kubernetes/cloud-provider controllers/node/node_controller.go v0.30; rancher/rancher#23357',
  },
  CCM1203: {
    title: 'A providerID is malformed or of another provider',
    severity: 'error',
    why: 'The CCM does not find the instance and may delete the Node once it is not Ready. A providerID cannot be changed.',
    fix: 'Re-create the node with the right providerID (PROVIDER://...).',
    source: 'kubernetes/cloud-provider node/helpers; kubernetes-sigs/vsphere-csi-driver#592',
  },
  CCM1204: {
    title: 'The hostname of a node is not its Node name',
    severity: 'info',
    why: 'Lock holders carry the hostname, so it, not the Node name, tells which node holds. External kubelets register under the hostname unless --hostname-override is set.',
    fix: 'Check that the kubelet keeps its Node name with --cloud-provider=external.',
    source: 'kubernetes/kubernetes#70897; kubernetes/cloud-provider-aws#63, #384',
  },
  CCM1205: {
    title: 'In-tree kubelets and the CCM both write node addresses',
    severity: 'warning',
    why: 'cloud-node-controller is under no migration lock: it starts with the first CCM and addresses can flap until the kubelets are external.',
    fix: 'Start the CCM with --controllers=*,-cloud-node-controller (both spellings before and after 1.28) until the kubelets are external, or accept it for the time of the migration.',
    source:
      'kubernetes/kubernetes#109793; cloud-provider-openstack migrate-to-ccm-with-csimigration.md',
  },
  CCM1206: {
    title: 'Zone or region labels would change',
    severity: 'warning',
    why: 'A node that is initialised anew gets the labels of the CCM; volumes are bound to the old ones.',
    fix: 'Compare the labels of an old and a new node before going on.',
    source: 'kubernetes/cloud-provider controllers/node/node_controller.go v0.30; Azure/AKS#1337',
  },
  CCM1207: {
    title: 'A control-plane node cannot be reached',
    severity: 'error',
    why: 'Its manifests and processes are unknown: it may run an owner that nobody sees.',
    fix: 'Restore node access, or remove the machine.',
    source: 'unknown is not healthy, invariant I9 of this project',
  },
  CCM1208: {
    title: 'The API is reached through one control-plane node',
    severity: 'warning',
    why: 'While that node changes, the kubelets of the others cannot start what they are given.',
    fix: 'Put a balancer or a virtual address before the API servers.',
    source: 'kubermatic/kubeone#2324, #2326',
  },
  CCM1209: {
    title: 'A node waits for its first initialisation',
    severity: 'warning',
    why: 'It carries node.cloudprovider.kubernetes.io/uninitialized and nothing is scheduled there until a CCM runs.',
    fix: 'Nothing if the CCM starts soon; otherwise check its kubelet settings.',
    source: 'kubernetes/cloud-provider api/well_known_taints.go',
  },
  CCM1401: {
    title: 'A manager may not use the migration Lease although the grant is there',
    severity: 'error',
    why: 'A forbidden candidate looks exactly like one that stands by: metric 0, healthz ok. Nothing would take over.',
    fix: 'Bind the grant to the identity that the manager really uses.',
    source: 'kubernetes/kops#12723; measured on 1.30.14',
  },
  CCM1402: {
    title: 'The CCM lacks a right that its controllers need',
    severity: 'error',
    why: 'It would own the cloud controllers and fail at them, with its locks, health and metrics in order: Nodes stay, Services wait. One that may not ask the API server who asks it answers 401 or 500 for its metrics.',
    fix: 'Let the migration apply its grant (docs/ccm-access.md), make the binding that is named, or find the authorizer that denies it.',
    source:
      'cloud-provider-openstack#3225; kubernetes/cloud-provider controllers; docs/ccm-access.md',
  },
  CCM1403: {
    title: 'The pod of the CCM may not start where it is needed',
    severity: 'error',
    why: 'A new node carries the uninitialized and not-ready taints and has no pod network until a CCM has run. The kubelet runs a static pod from its file alone: it has no ServiceAccount, ConfigMap or Secret for it.',
    fix: 'Set hostNetwork: true and tolerate node.cloudprovider.kubernetes.io/uninitialized, node.kubernetes.io/not-ready and the control-plane taint. Give a static pod files of its node instead of API objects, or use deployAs: daemonSet.',
    source:
      'kubernetes.io blog 2025-02-14; kubernetes/cloud-provider-vsphere#339; kubernetes/kubernetes plugin/pkg/admission/serviceaccount/admission.go, pkg/api/pod/util.go HasAPIObjectReference',
  },
  CCM1404: {
    title: 'A CCM workload of somebody else exists',
    severity: 'error',
    why: 'It lands on source nodes, comes back when a pod is stopped, and rolls without regard to the holder.',
    fix: 'Remove it or stop what manages it, then approve.',
    source: 'step rules of this project; DaemonSet RollingUpdate',
  },
  CCM1405: {
    title: 'A role of Kubernetes itself was patched for Leader Migration',
    severity: 'warning',
    why: 'The official merge patch replaces the rules of the bootstrap Role and so drops its own; create with resourceNames allows nothing.',
    fix: 'The migration uses a separate Role. Restart an API server to restore the bootstrap Role, or delete it first.',
    source: 'kubernetes/website controller-manager-leader-migration; RBAC reference; measured',
  },
  CCM1501: {
    title: 'There are in-tree PersistentVolumes',
    severity: 'error',
    why: 'An external KCM has no in-tree volume plugins unless CSI migration is active; attach and detach would stop.',
    fix: 'Finish CSI migration first.',
    source: 'kubernetes/cloud-provider options/kubecloudshared.go v0.30; KEP-625',
  },
  CCM1502: {
    title: 'A LoadBalancer Service waits for its address or its deletion',
    severity: 'warning',
    why: 'The new owner ensures every Service at once. One that is being deleted loses its load balancer record if the CCM does not find it.',
    fix: 'Let the present owner finish it first.',
    source: 'kubernetes/cloud-provider controllers/service/controller.go v0.30',
  },
  CCM1503: {
    title: 'Etcd is not healthy, or its topology is unknown',
    severity: 'error',
    why: 'Replacing a stacked node removes a member.',
    fix: 'Repair etcd, or change nodes in place.',
    source: 'etcd runtime reconfiguration',
  },
  CCM1504: {
    title: 'kubeadm-config does not say what the manifests say',
    severity: 'warning',
    why: 'The next `kubeadm upgrade` writes the manifests anew from it and would undo the migration.',
    fix: 'The migration keeps ClusterConfiguration in step; correct it by hand if it belongs to another tool.',
    source: 'kubeadm ClusterConfiguration controllerManager.extraArgs',
  },
  CCM1505: {
    title: 'The cloud controllers already have two owners, or none',
    severity: 'error',
    why: 'The state of this cluster is broken before any step.',
    fix: '`ccm-migrate apply` repairs it first; `ccm-migrate describe` shows who runs what.',
    source: 'metric running_managed_controllers; KEP-2436',
  },
  CCM1506: {
    title: 'A manager is paused or crashes',
    severity: 'error',
    why: 'A paused holder acts as a second owner when it wakes; one that crashes cannot take over.',
    fix: 'Find the cause on the named node first.',
    source: 'measured on 1.30.14: 10.0 s of two owners after SIGCONT',
  },
  CCM1507: {
    title: 'A Lease of the managers is renewed by someone that nobody knows',
    severity: 'error',
    why: 'A manager on a worker or outside the cluster may run the cloud controllers already. A CCM beside it would wait for ever, or run next to it under another lock.',
    fix: 'Find the named holder (its hostname stands before the underscore) and stop it, or let it be the CCM on the control-plane nodes.',
    source: 'kubernetes/client-go tools/leaderelection: a holder renews every retry period',
  },
  CCM1508: {
    title: 'The cluster shows no control-plane Nodes',
    severity: 'error',
    why: 'On a hosted control plane the managers run where we can neither see nor change them.',
    fix: 'Let the provider of the control plane migrate it. If the nodes are yours, label them node-role.kubernetes.io/control-plane.',
    source: 'kubeadm labels control-plane Nodes; hosted control planes register none',
  },
} as const satisfies Record<string, CatalogueEntry>;
