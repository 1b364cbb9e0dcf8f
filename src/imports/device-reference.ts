import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { ImportFault } from '#entities/file-import.js';
import { isId } from '#entities/id.js';
import type { DeviceLine } from './device-line.js';

/**
 * A line with the product, the site and the applications that it names. An absent product or site stays as it is, `null`
 * clears it.
 */
export interface ResolvedLine extends DeviceLine {
  productId?: string | null;
  siteId?: string | null;
  applicationIds: string[];
}

interface Named {
  id: string;
  /** Name in lower case. References ignore case. */
  name: string;
  own: boolean;
}

/** Resolves the products, sites and applications that lines name by identifier or name, and sites by their key, too. `lines` omits lines with faults. */
export async function resolveReferences(
  tx: PoolClient,
  organizationId: string,
  lines: readonly DeviceLine[],
): Promise<{ lines: ResolvedLine[]; faults: ImportFault[] }> {
  const products = await load(
    tx,
    lines.flatMap(({ product }) => product ?? []),
    (match) => sql`
      select p.id, lower(p.name) as name, p.organization_id = ${organizationId} as own from product p
       where (p.organization_id = ${organizationId} or p.public) and ${match(sql`p.id`, sql`p.name`)}`,
  );
  const applications = await load(
    tx,
    lines.flatMap((line) => line.applications),
    (match) => sql`
      select a.id, lower(a.name) as name, true as own from application a
       where a.organization_id = ${organizationId} and ${match(sql`a.id`, sql`a.name`)}`,
  );
  const sites = await load(
    tx,
    lines.flatMap(({ site }) => site ?? []),
    (match) => sql`
      select s.id, lower(s.name) as name, true as own from site s
       where s.organization_id = ${organizationId} and ${match(sql`s.id`, sql`s.name`)}
      union select s.id, lower(s.external_id), true from site s
       where s.organization_id = ${organizationId} and ${match(sql`s.id`, sql`s.external_id`)}`,
  );
  const find = { product: products, site: sites, application: applications };
  const faults: ImportFault[] = [];
  const resolved: ResolvedLine[] = [];
  for (const line of lines) {
    const before = faults.length;
    const idOf = (field: keyof typeof find, text: string): string => {
      const found = find[field](text);
      if (typeof found === 'string') return found;
      faults.push({ line: line.line, column: line.columns[field]! + 1, field, message: found.fault(field) });
      return '';
    };
    const productId = line.product == null ? line.product : idOf('product', line.product);
    const siteId = line.site == null ? line.site : idOf('site', line.site);
    const applicationIds = line.applications.map((each) => idOf('application', each));
    if (faults.length > before) continue;
    const named = { ...(productId !== undefined && { productId }), ...(siteId !== undefined && { siteId }) };
    resolved.push({ ...line, ...named, applicationIds });
  }
  return { lines: resolved, faults };
}

type Find = (text: string) => string | { fault: (what: string) => string };

/** Maximum number of characters of a text that a fault quotes. */
const shownLength = 100;

const load = async (
  tx: PoolClient,
  texts: readonly string[],
  query: (match: (id: Sql, name: Sql) => Sql) => Sql,
): Promise<Find> => {
  const wanted = [...new Set(texts)];
  const ids = wanted.filter(isId);
  const names = wanted.map((each) => each.toLowerCase());
  const match = (id: Sql, name: Sql) => sql`(${id} = any(${ids}::uuid[]) or lower(${name}) = any(${names}::text[]))`;
  const { rows } = wanted.length === 0 ? { rows: [] } : await tx.query<Named>(query(match));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byName = new Map<string, Named[]>();
  for (const row of rows) byName.set(row.name, [...(byName.get(row.name) ?? []), row]);
  return (text) => {
    const named = byName.get(text.toLowerCase()) ?? [];
    const own = named.filter((each) => each.own);
    const found = byId.get(text) ?? (own.length > 0 ? own : named)[0];
    const shown = text.slice(0, shownLength);
    if (found === undefined) return { fault: (what) => `There is no ${what} "${shown}".` };
    if (byId.has(text) || (own.length > 0 ? own : named).length === 1) return found.id;
    return { fault: (what) => `Several ${what}s are named "${shown}": write the id.` };
  };
};
