/**
 * Feature gates of the kube-controller-manager that a later minor refuses at start: it no longer knows them, or has locked
 * them to one value.
 * Source: what pkg/features of kubernetes/kubernetes v1.21.0 to v1.36.0 registers together with pkg/features of
 * k8s.io/apiserver and k8s.io/controller-manager and the logs and metrics of k8s.io/component-base, compared minor by minor.
 * Gates of other origin (k8s.io/client-go, vendors) are not listed, so they are never removed.
 */

/** By the first minor that does not register them. */
const REMOVED: Readonly<Record<number, string>> = {
  22: `
    BalanceAttachedNodeVolumes CRIContainerLogRotation CSIMigrationvSphereComplete ExternalPolicyForExternalIP
    LegacyNodeRoleBehavior NodeDisruptionExclusion RootCAConfigMap RunAsGroup SCTPSupport ServiceAppProtocol
    ServiceNodeExclusion ServiceTopology VolumeSnapshotDataSource`,
  23: `
    AllowInsecureBackendProxy BoundServiceAccountTokenVolume CronJobControllerV2 NodeLease
    ServiceAccountIssuerDiscovery StartupProbe SupportNodePidsLimit SupportPodPidsLimit Sysctls`,
  24: `
    HugePageStorageMediumSize ImmutableEphemeralVolumes NamespaceDefaultLabelName RuntimeClass SetHostnameAsFQDN
    StreamingProxyRedirects ValidateProxyRedirects WarningHeaders csiMigrationRBD`,
  25: `
    CSIServiceAccountToken CSIVolumeFSGroupPolicy ConfigurableFSGroupPolicy EndpointSlice EndpointSliceNodeName
    EndpointSliceProxying GenericEphemeralVolume IngressClassNamespacedParams PodDisruptionBudget SelectorIndex
    StorageObjectInUseProtection TTLAfterFinished VolumeSubpath WindowsEndpointSliceProxying`,
  26: `
    CSIMigrationOpenStack CSRDuration DefaultPodTopologySpread DynamicKubeletConfig IndexedJob NonPreemptingPriority
    PodAffinityNamespaceSelector PodOverhead PreferNominatedNode ServiceLBNodePortControl ServiceLoadBalancerClass
    SuspendJob`,
  27: `
    CSIInlineVolume CSIMigration CSIMigrationAWS CSIMigrationAzureDisk ControllerManagerLeaderMigration
    DaemonSetUpdateSurge EphemeralContainers ExpandCSIVolumes ExpandInUsePersistentVolumes ExpandPersistentVolumes
    IPv6DualStack IdentifyPodOS LocalStorageCapacityIsolation NetworkPolicyEndPort StatefulSetMinReadySeconds`,
  28: `
    AdvancedAuditing CSIMigrationGCE CSIStorageCapacity DelegateFSGroupToCSIDriver DevicePlugins
    DisableAcceleratorUsageMetrics DryRun EndpointSliceTerminatingCondition KubeletCredentialProviders
    MixedProtocolLBService NetworkPolicyStatus PodHasNetworkCondition PodSecurity ServiceIPStaticSubrange
    ServiceInternalTrafficPolicy UserNamespacesStatelessPodsSupport WindowsHostProcessContainers`,
  29: `
    CSIMigrationvSphere CronJobTimeZone DownwardAPIHugePages GRPCContainerProbe JobMutableNodeSchedulingDirectives
    JobTrackingWithFinalizers LegacyServiceAccountTokenNoAutoGeneration MultiCIDRRangeAllocator OpenAPIV3
    ProbeTerminationGracePeriod RetroactiveDefaultStorageClass SeccompDefault TopologyManager`,
  30: `
    APISelfSubjectReview CSIMigrationAzureFile ExpandedDNSConfig ExperimentalHostUserNamespaceDefaulting
    IPTablesOwnershipCleanup KubeletPodResources KubeletPodResourcesGetAllocatable LegacyServiceAccountTokenTracking
    MinimizeIPTablesRestore ProxyTerminatingEndpoints RemoveSelfLink SecurityContextDeny`,
  31: `
    APIPriorityAndFairness CSIMigrationRBD CSINodeExpandSecret ConsistentHTTPGetHandlers
    CustomResourceValidationExpressions DefaultHostNetworkHostPortsInPodTemplates InTreePluginAWSUnregister
    InTreePluginAzureDiskUnregister InTreePluginAzureFileUnregister InTreePluginGCEUnregister
    InTreePluginOpenStackUnregister InTreePluginRBDUnregister InTreePluginvSphereUnregister JobReadyPods
    ReadWriteOncePod ServiceNodePortStaticSubrange SkipReadOnlyValidationGCE`,
  32: `
    CloudDualStackNodeIPs DRAControlPlaneController HPAContainerMetrics KMSv2 KMSv2KDF
    LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread NewVolumeManagerReconstruction
    NodeOutOfServiceVolumeDetach PodHostIPs ServerSideApply ServerSideFieldValidation StableLoadBalancerNodeSet
    ValidatingAdmissionPolicy ZeroLimitedNominalConcurrencyShares`,
  33: `
    APIListChunking AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AppArmor AppArmorFields CPUManager
    DisableCloudProviders DisableKubeletCloudCredentialProviders EfficientWatchResumption JobPodFailurePolicy
    KubeProxyDrainingTerminatingNodes PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime
    RemainingItemCount VolumeCapacityPriority WatchBookmark`,
  34: `
    DevicePluginCDIDevices ElasticIndexedJob LegacySidecarContainers PodDisruptionConditions StatefulSetStartOrdinal`,
  35: `
    AllowServiceLBStatusOnNonLB ComponentSLIs CronJobsScheduledAnnotation LoadBalancerIPMode PodIndexLabel
    ProbeHostPodSecurityStandards SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StrictCostEnforcementForVAP
    StrictCostEnforcementForWebhooks UserNamespacesPodSecurityStandards`,
  36: `
    CSIMigrationPortworx HonorPVReclaimPolicy InPlacePodVerticalScalingAllocatedStatus
    InTreePluginPortworxUnregister MemoryManager ServiceTrafficDistribution StructuredAuthorizationConfiguration
    TopologyAwareHints WatchFromStorageWithoutResourceVersion`,
};

/** By the first minor in which only `true` may be set. */
const LOCKED_ON: Readonly<Record<number, string>> = {
  21: `
    AllowInsecureBackendProxy CRIContainerLogRotation EndpointSlice EndpointSliceNodeName
    ExternalPolicyForExternalIP ImmutableEphemeralVolumes NodeDisruptionExclusion NodeLease PodDisruptionBudget
    RootCAConfigMap RunAsGroup RuntimeClass SCTPSupport SelectorIndex ServiceAccountIssuerDiscovery
    ServiceAppProtocol ServiceNodeExclusion StartupProbe SupportNodePidsLimit SupportPodPidsLimit Sysctls
    VolumeSnapshotDataSource WatchBookmark`,
  22: `
    BoundServiceAccountTokenVolume CSIServiceAccountToken CronJobControllerV2 EndpointSliceProxying
    HugePageStorageMediumSize NamespaceDefaultLabelName SetHostnameAsFQDN WarningHeaders
    WindowsEndpointSliceProxying`,
  23: `
    CSIVolumeFSGroupPolicy ConfigurableFSGroupPolicy GenericEphemeralVolume IPv6DualStack
    IngressClassNamespacedParams StorageObjectInUseProtection TTLAfterFinished VolumeSubpath`,
  24: `
    CSIMigrationOpenStack CSIStorageCapacity CSRDuration ControllerManagerLeaderMigration DefaultPodTopologySpread
    EfficientWatchResumption IndexedJob NonPreemptingPriority PodAffinityNamespaceSelector PodOverhead
    PreferNominatedNode RemoveSelfLink ServiceLBNodePortControl ServiceLoadBalancerClass SuspendJob`,
  25: `
    CSIInlineVolume CSIMigration CSIMigrationAWS CSIMigrationAzureDisk CSIMigrationGCE DaemonSetUpdateSurge
    DisableAcceleratorUsageMetrics EphemeralContainers IdentifyPodOS LocalStorageCapacityIsolation
    NetworkPolicyEndPort PodSecurity StatefulSetMinReadySeconds`,
  26: `
    CPUManager CSIMigrationvSphere DelegateFSGroupToCSIDriver DevicePlugins DryRun EndpointSliceTerminatingCondition
    JobTrackingWithFinalizers KubeletCredentialProviders MixedProtocolLBService ServerSideApply
    ServiceIPStaticSubrange ServiceInternalTrafficPolicy WindowsHostProcessContainers`,
  27: `
    AdvancedAuditing CSIMigrationAzureFile CronJobTimeZone DownwardAPIHugePages GRPCContainerProbe
    JobMutableNodeSchedulingDirectives LegacyServiceAccountTokenNoAutoGeneration OpenAPIV3 SeccompDefault
    ServerSideFieldValidation TopologyManager`,
  28: `
    APISelfSubjectReview ExpandedDNSConfig IPTablesOwnershipCleanup KubeletPodResources
    KubeletPodResourcesGetAllocatable LegacyServiceAccountTokenTracking MinimizeIPTablesRestore
    NodeOutOfServiceVolumeDetach ProbeTerminationGracePeriod ProxyTerminatingEndpoints
    RetroactiveDefaultStorageClass`,
  29: `
    APIListChunking APIPriorityAndFairness CSINodeExpandSecret CustomResourceValidationExpressions JobReadyPods
    KMSv2 KMSv2KDF ReadWriteOncePod RemainingItemCount ServiceNodePortStaticSubrange`,
  30: `
    AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint CloudDualStackNodeIPs ConsistentHTTPGetHandlers
    HPAContainerMetrics LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread
    NewVolumeManagerReconstruction PodHostIPs PodSchedulingReadiness StableLoadBalancerNodeSet
    ValidatingAdmissionPolicy ZeroLimitedNominalConcurrencyShares`,
  31: `
    AppArmor AppArmorFields DevicePluginCDIDevices DisableCloudProviders DisableKubeletCloudCredentialProviders
    ElasticIndexedJob JobPodFailurePolicy KubeProxyDrainingTerminatingNodes LogarithmicScaleDown
    PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime PodDisruptionConditions
    StatefulSetStartOrdinal`,
  32: `
    ComponentSLIs CronJobsScheduledAnnotation LoadBalancerIPMode MemoryManager PodIndexLabel RetryGenerateName
    ServiceAccountTokenJTI ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
    SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StrictCostEnforcementForVAP StrictCostEnforcementForWebhooks
    StructuredAuthorizationConfiguration`,
  33: `
    AnyVolumeDataSource BtreeWatchCache CPUManagerPolicyOptions CSIMigrationPortworx HonorPVReclaimPolicy
    JobBackoffLimitPerIndex JobSuccessPolicy MatchLabelKeysInPodAffinity NFTablesProxyMode
    NodeInclusionPolicyInPodTopologySpread RecursiveReadOnlyMounts ServiceAccountTokenNodeBinding
    ServiceTrafficDistribution SidecarContainers TopologyAwareHints`,
  34: `
    APIServerTracing AnonymousAuthConfigurableEndpoints AuthorizeNodeWithSelectors AuthorizeWithSelectors
    ConsistentListFromCache JobPodReplacementPolicy KubeletCgroupDriverFromCRI KubeletTracing
    MultiCIDRServiceAllocator NodeSwap OrderedNamespaceDeletion PodLifecycleSleepAction
    PodLifecycleSleepActionAllowZero ProbeHostPodSecurityStandards RecoverVolumeExpansionFailure
    RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization
    SchedulerQueueingHints SeparateTaintEvictionController StreamingCollectionEncodingToJSON
    StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration WinDSR WinOverlay`,
  35: `
    AggregatedDiscoveryRemoveBetaType DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout
    ImageMaximumGCAge InPlacePodVerticalScaling JobManagedBy PodObservedGenerationTracking
    PreferSameTrafficDistribution SupplementalGroupsPolicy`,
  36: `
    CSIServiceAccountTokenSecrets DRAAdminAccess DeclarativeValidation DisableNodeKubeProxyVersion
    ExternalServiceAccountTokenSigner ImageVolume KubeletFineGrainedAuthz KubeletPSI
    KubeletPodResourcesDynamicResources KubeletPodResourcesGet MutableCSINodeAllocatableCount NodeLogQuery
    ProcMountType SELinuxChangePolicy SELinuxMountReadWriteOncePod TopologyManagerPolicyOptions
    UserNamespacesSupport VolumeAttributesClass`,
};

/** By the first minor in which only `false` may be set. */
const LOCKED_OFF: Readonly<Record<number, string>> = {
  21: 'LegacyNodeRoleBehavior',
  28: 'ExperimentalHostUserNamespaceDefaulting',
  32: 'AllowServiceLBStatusOnNonLB',
  33: 'WatchFromStorageWithoutResourceVersion',
  35: 'AllowOverwriteTerminationGracePeriodSeconds',
  36: 'GitRepoVolumeDriver SeparateCacheWatchRPC',
};

/** Source of the table, in one line. */
export const GATE_TABLE_SOURCE =
  'kubernetes/kubernetes pkg/features, k8s.io/apiserver pkg/features, v1.21.0 to v1.36.0';

const REMOVED_IN = byName(REMOVED);
const LOCKED: readonly (readonly [string, ReadonlyMap<string, number>])[] = [
  ['true', byName(LOCKED_ON)],
  ['false', byName(LOCKED_OFF)],
];

function byName(table: Readonly<Record<number, string>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(table).flatMap(([minor, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name): [string, number] => [name, Number(minor)]),
    ),
  );
}

/** Why a KCM of this minor exits at start when a gate is set to this value; null when it is not known to. */
export function gateRefusal(name: string, value: string, minor: number): string | null {
  const removedIn = REMOVED_IN.get(name) ?? Infinity;
  if (minor >= removedIn) return `unknown since 1.${String(removedIn)}`;
  for (const [only, lockedIn] of LOCKED) {
    const since = lockedIn.get(name) ?? Infinity;
    if (minor >= since && value !== only) return `locked to ${only} since 1.${String(since)}`;
  }
  return null;
}
