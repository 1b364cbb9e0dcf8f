import { applyPlan, checkPlan, type Outcome } from './apply.js';
import type { Graph } from './client.js';
import type { Configuration } from './document.js';
import { withLease } from './lease.js';
import { type Plan, planOf } from './plan.js';
import { readState } from './state.js';

/** An organization, as the owner of a token reaches it. */
export interface ConfigurationTarget {
  graph: Graph;
  organizationId: string;
}

export interface Applying {
  /** Whether to remove what the document does not name. */
  prune: boolean;
  /** Whether to say only what would be done and what is wrong. */
  dryRun: boolean;
  /** Called with the plan before anything is done. */
  onPlan?: (plan: Plan) => void;
  /** Called once if another tool changes the configuration. */
  onWait?: () => void;
}

/** Applies a document to an organization, or says what would be done. */
export async function applyDocument(
  { graph, organizationId }: ConfigurationTarget,
  wanted: Configuration,
  { prune, dryRun, onPlan, onWait = () => undefined }: Applying,
): Promise<Outcome & { plan: Plan }> {
  const planNow = async () => {
    const reading = { devices: wanted.devices !== undefined, members: wanted.teams !== undefined };
    const plan = planOf(await readState(graph, organizationId, reading), wanted, prune);
    onPlan?.(plan);
    return plan;
  };
  if (dryRun) {
    const plan = await planNow();
    const { faults, warnings } = await checkPlan(graph, organizationId, plan);
    return { plan, done: 0, faults: [...plan.faults, ...faults], warnings };
  }
  return withLease(graph, organizationId, onWait, async (lease) => {
    const plan = await planNow();
    // A name that no thing has may be a misspelling, so nothing is done.
    if (plan.faults.length > 0) return { plan, done: 0, faults: [...plan.faults], warnings: [] };
    return { plan, ...(await applyPlan(graph, organizationId, plan, lease)) };
  });
}
