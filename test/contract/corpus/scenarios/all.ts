import { ACCESS_SCENARIO, ROLES_SCENARIO } from './access.js';
import { LIST_SCENARIO, WATCH_SCENARIO } from './collections.js';
import { FENCE_SCENARIO } from './fence.js';
import { ESCALATION_SCENARIO, FORBIDDEN_SCENARIO } from './forbidden.js';
import { APPLY_SCENARIO, STRATEGIC_SCENARIO } from './kubectl.js';
import { DRY_RUN_SCENARIO, LEASE_SCENARIO } from './leases.js';
import { MALFORMED_SCENARIO } from './malformed.js';
import { NODE_SCENARIO } from './nodes.js';
import { POD_SCENARIO } from './pods.js';
import type { Scenario } from './scenario.js';
import { CONFIG_MAP_SCENARIO, INVENTORY_SCENARIO, WORKLOAD_SCENARIO } from './workloads.js';

export const SCENARIOS: readonly Scenario[] = [
  FENCE_SCENARIO,
  LEASE_SCENARIO,
  CONFIG_MAP_SCENARIO,
  ACCESS_SCENARIO,
  ROLES_SCENARIO,
  WORKLOAD_SCENARIO,
  NODE_SCENARIO,
  POD_SCENARIO,
  INVENTORY_SCENARIO,
  LIST_SCENARIO,
  WATCH_SCENARIO,
  DRY_RUN_SCENARIO,
  FORBIDDEN_SCENARIO,
  ESCALATION_SCENARIO,
  MALFORMED_SCENARIO,
  STRATEGIC_SCENARIO,
  APPLY_SCENARIO,
];
