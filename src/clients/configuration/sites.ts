import { putValues } from './attributes.js';
import { type Calls, isOneCall, type PutItem } from './calls.js';
import { isNew, type Token } from './names.js';
import type { Step } from './plan.js';
import { idOf, type KeyedStep } from './rounds.js';
import type { StoredSite } from './state.js';

/**
 * Puts sites in one call, of which only the resulting tree counts. More sites, and sites whose keys wait for each other,
 * are first put where they are or at the top, and then moved.
 */
export async function putSites(
  calls: Calls,
  rounds: readonly (readonly KeyedStep[])[],
  made: Map<Token, string>,
): Promise<void> {
  const all = rounds.flat();
  const keys = new Map(all.map(({ step, key }) => [step.token, key]));
  const put = (items: readonly PutItem[]) =>
    calls.put({ name: 'putSites', list: 'sites', type: 'SiteInput' }, items, made);
  const itemOf = ({ step, key }: KeyedStep, isPlaced: boolean): PutItem => {
    const { parent, ...values } = step.values;
    const above = typeof parent === 'string' && isNew(parent) ? (made.get(parent) ?? keys.get(parent)) : parent;
    const place = isPlaced && above !== undefined ? { parent: above } : {};
    return {
      step,
      item: { ...putValues(values), externalId: key, id: made.get(step.token) ?? idOf(step).id, ...place },
    };
  };
  const together = all.map((each) => itemOf(each, true));
  if (rounds.length <= 1 && isOneCall(together)) return put(together);
  for (const round of rounds) await put(round.map((each) => itemOf(each, false)));
  if (calls.isDry) return;
  const placed = all.filter(({ step }) => step.values['parent'] !== undefined && !calls.failed.has(step));
  const steps = [...new Set(placed.map(({ step }) => step))];
  await put(steps.map((step) => itemOf({ step, key: step.key }, true)));
}

/** Sorts removals of sites so that each comes after those below it. */
export function lowestFirst(steps: readonly Step[], sites: readonly StoredSite[]): Step[] {
  const levels = new Map(sites.map(({ id, level }) => [id, level]));
  return steps.toSorted((one, other) => levels.get(other.token)! - levels.get(one.token)!);
}
