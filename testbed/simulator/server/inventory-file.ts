/** The inventory's entry for one cluster. */
export interface InventoryEntry {
  readonly id: string;
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly kubeconfig: string;
  readonly server: string;
}

/** A ClusterInventory for the clusters of this process, as JSON (which is YAML). */
export function inventoryText(clusters: readonly InventoryEntry[]): string {
  const inventory = {
    apiVersion: 'ccm-migrate.dev/v1alpha1',
    kind: 'ClusterInventory',
    metadata: { name: 'simulator' },
    spec: {
      clusters: clusters.map(({ id, region, labels, kubeconfig, server }) => ({
        name: id,
        region,
        ...(Object.keys(labels).length === 0 ? {} : { labels }),
        kubeconfig,
        nodeAccess: { kind: 'http', url: `${server}/node-access` },
        machinesApi: { url: `${server}/machines-api` },
        cloudApi: { url: `${server}/cloud-api` },
      })),
    },
  };
  return `${JSON.stringify(inventory, null, 2)}\n`;
}
