import type { EntityManager } from '@mikro-orm/postgresql';
import sql, { raw, type Sql } from 'sql-template-tag';
import { execute } from '#auth/execute.js';
import { type Fault, invalid } from '#common/errors.js';
import { type AttributeValue, maxAttributes } from '#entities/attribute.js';
import { storeAttributes } from '#imports/attributes.js';
import type { Read } from '#schema/context.js';

/** A value to set, and the time from which it holds, in Unix seconds. */
export interface AttributeWrite {
  name: string;
  value: AttributeValue | null;
  validFrom: number;
}

/** Values of attributes before and after, by their paths, as the audit log shows them. */
export type AttributeChanges = Record<string, [AttributeValue | null, AttributeValue | null]>;

/** A device or a site, which has attributes. */
export interface AttributeOwner {
  kind: 'device' | 'site';
  id: string;
  organizationId: string;
}

/**
 * Sets attributes of a device or a site in a transaction. It locks the owner, so that calls at the same time keep the limits.
 * @throws invalid (422) for more names or versions than one may have
 */
export async function writeAttributes(
  em: EntityManager,
  owner: AttributeOwner,
  writes: readonly AttributeWrite[],
): Promise<AttributeChanges> {
  const { kind, id, organizationId } = owner;
  await execute(em, sql`select from ${raw(kind)} where id = ${id} for no key update`);
  const rows = JSON.stringify(writes.map(({ value, ...write }) => ({ ...write, value: JSON.stringify(value) })));
  const sent = sql`jsonb_to_recordset(${rows}::jsonb) as w (name text, "validFrom" float8, value text)`;
  const before = await execute<{ name: string; validFrom: number; value: AttributeValue | null }>(
    em,
    sql`select a.name, w."validFrom", a.value from ${sent}
          join attribute a on a.owner_id = ${id} and a.name = w.name and a.valid_from = to_timestamp(w."validFrom")`,
  );
  const run: Read = <Row extends object>(query: Sql) => execute<Row>(em, query);
  const stored = writes.map((write) => ({ ...write, ownerId: id }));
  await storeAttributes(run, { kind, organizationId }, stored);
  await requireLimits(em, owner, writes);
  const former = new Map(before.map(({ name, validFrom, value }) => [`${validFrom} ${name}`, value]));
  return Object.fromEntries(
    writes.map(({ name, value, validFrom }) => [
      `attributes.${name} from ${new Date(validFrom * 1000).toISOString()}`,
      [former.get(`${validFrom} ${name}`) ?? null, value],
    ]),
  );
}

async function requireLimits(
  em: EntityManager,
  { kind, id }: AttributeOwner,
  writes: readonly AttributeWrite[],
): Promise<void> {
  const counts = await execute<{ name: string; count: number }>(
    em,
    sql`select name, count(*)::int as count from attribute where owner_id = ${id} group by name`,
  );
  const { names, versions } = maxAttributes;
  if (counts.length > names)
    throw invalid([
      { path: 'attributes', message: `a ${kind} has at most ${names} attributes; this would make ${counts.length}` },
    ]);
  const full = new Set(counts.flatMap(({ name, count }) => (count > versions ? [name] : [])));
  const faults = writes.flatMap(({ name }, index): Fault[] =>
    full.has(name)
      ? [{ path: `attributes.${index}.validFrom`, message: `an attribute has at most ${versions} values over time` }]
      : [],
  );
  if (faults.length > 0) throw invalid(faults);
}
