import type { SiteLineFragment } from '../../api/documents.js';

/** A site with its level in the tree that is shown, from 0. */
export interface Leveled<Site> {
  readonly site: Site;
  readonly level: number;
}

/**
 * Returns sites in the order of their tree: each with those below it after it, and those beside each other by name. A
 * site whose parent is not among the given ones is at the top.
 */
export function inTreeOrder<Site extends SiteLineFragment>(sites: readonly Site[]): Leveled<Site>[] {
  const known = new Set(sites.map(({ id }) => id));
  const below = Map.groupBy(sites, ({ path }) => path.slice(0, -1).findLast((id) => known.has(id)) ?? '');
  const ordered = (parent: string, level: number): Leveled<Site>[] =>
    (below.get(parent) ?? [])
      .toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
      .flatMap((site) => [{ site, level }, ...ordered(site.id, level + 1)]);
  return ordered('', 0);
}
