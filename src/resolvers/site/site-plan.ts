import { ApiError, conflict, notFound } from '#common/errors.js';
import { newId } from '#entities/id.js';
import { requireZone } from '#search/date/zone.js';
import type { SiteInput } from './site.args.js';
import { inItself, maxLevels, tooDeep, tooManySites } from './site-tree.js';

/** The place of a stored site. */
export interface StoredPlace {
  id: string;
  parentId: string | null;
  externalId: string | null;
}

/** The place that a call gives a site, or the fault of its item. */
export type SitePlace = { id: string; path: string[] } | { fault: ApiError };

/**
 * Plans where the items of a call put their sites. Only the tree that results from all of them counts: an item may name
 * a site that a later one puts, and two sites may change places. An item at fault leaves its site where it is.
 * @param room how many sites may be added
 */
export function planSites(
  stored: readonly StoredPlace[],
  items: readonly SiteInput[],
  room: number,
): ReadonlyMap<SiteInput, SitePlace> {
  const { ids, faults } = nameSites(stored, items, room);
  for (;;) {
    const open = items.filter((item) => !faults.has(item));
    const tree = new WantedTree(stored, open, ids);
    const found = tree.faults();
    if (found.size === 0) {
      const place = (item: SiteInput) => ({ id: ids.get(item)!, path: tree.pathOf(ids.get(item)!) });
      return new Map(items.map((item) => [item, faults.has(item) ? { fault: faults.get(item)! } : place(item)]));
    }
    for (const [item, fault] of found) faults.set(item, fault);
  }
}

/** Finds the identifier of each item's site, or of a new one. */
function nameSites(stored: readonly StoredPlace[], items: readonly SiteInput[], room: number) {
  const ids = new Map<SiteInput, string>();
  const faults = new Map<SiteInput, ApiError>();
  const known = new Set(stored.map(({ id }) => id));
  const holders = keysOf(stored);
  const taken = new Set<string>();
  let added = 0;
  for (const item of items) {
    const holder = holders.get(item.externalId);
    const id = item.id ?? holder ?? newId();
    const isNew = !known.has(id);
    const fault = isNew && item.id != null ? notFound('site') : faultOf(item, id, holder, taken);
    if (fault !== undefined) faults.set(item, fault);
    else if (isNew && added >= room) faults.set(item, tooManySites());
    else if (isNew) added += 1;
    taken.add(id);
    ids.set(item, id);
  }
  return { ids, faults };
}

function faultOf(
  { timeZone }: SiteInput,
  id: string,
  holder: string | undefined,
  taken: ReadonlySet<string>,
): ApiError | undefined {
  if (holder !== undefined && holder !== id)
    return conflict(`${holder} already has this key.`, [{ path: 'externalId', message: `is taken by ${holder}` }]);
  if (taken.has(id))
    return conflict('An earlier item already puts this site.', [{ path: 'id', message: 'is repeated' }]);
  try {
    if (timeZone != null) requireZone(timeZone);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const keysOf = (stored: readonly StoredPlace[]): Map<string, string> =>
  new Map(stored.flatMap(({ id, externalId }) => (externalId === null ? [] : [[externalId, id]])));

/** The tree that some items make of the stored one. */
class WantedTree {
  private readonly parents: Map<string, string | null>;
  /** Items that create a site or move it, by its identifier. */
  private readonly movers = new Map<string, SiteInput>();
  private readonly found = new Map<SiteInput, ApiError>();

  constructor(stored: readonly StoredPlace[], items: readonly SiteInput[], ids: ReadonlyMap<SiteInput, string>) {
    this.parents = new Map(stored.map(({ id, parentId }) => [id, parentId]));
    const byKey = keysOf(stored);
    for (const item of items) byKey.set(item.externalId, ids.get(item)!);
    const named = (text: string) => byKey.get(text) ?? (this.parents.has(text) ? text : undefined);
    for (const item of items) {
      const id = ids.get(item)!;
      const from = this.parents.get(id);
      const to = item.parent === undefined ? (from ?? null) : item.parent === null ? null : named(item.parent);
      if (to === undefined) {
        const { code, message } = notFound('site');
        this.found.set(item, new ApiError(code, message, [{ path: 'parent', message: 'does not exist' }]));
      } else if (to !== from) {
        this.parents.set(id, to);
        this.movers.set(id, item);
      }
    }
  }

  /** Returns the items that a valid tree cannot have. Without them, others may be at fault. */
  faults(): ReadonlyMap<SiteInput, ApiError> {
    if (this.found.size > 0) return this.found;
    for (const id of this.parents.keys()) {
      const chain = this.chainOf(id);
      const circle = chain.slice(chain.indexOf(chain.at(-1)!), -1);
      if (chain.length <= maxLevels && circle.length === 0) continue;
      const mover = (circle.length > 0 ? circle : chain).find((each) => this.movers.has(each))!;
      this.found.set(this.movers.get(mover)!, circle.length > 0 ? inItself('parent') : tooDeep('parent'));
    }
    return this.found;
  }

  pathOf(id: string): string[] {
    return this.chainOf(id).toReversed();
  }

  /**
   * Returns a site with those above it: of a valid tree at most {@link maxLevels}. A chain in a circle ends with a site
   * that it has already.
   */
  private chainOf(id: string): string[] {
    const chain = [id];
    for (let next = this.parents.get(id); next != null; next = this.parents.get(next)) {
      chain.push(next);
      // One that has more levels, or is in a longer circle, is at fault already.
      if (chain.length > 2 * maxLevels || chain.indexOf(next) < chain.length - 1) break;
    }
    return chain;
  }
}
