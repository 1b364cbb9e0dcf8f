import sql, { raw } from 'sql-template-tag';
import type { Fault } from '#common/errors.js';
import { textArray } from '#database/text-array.js';
import { type AttributeValue, maxAttributes } from '#entities/attribute.js';
import type { Read } from '#schema/context.js';

/** A value that an attribute is to have. */
export interface AttributePut {
  name: string;
  /** Absent or null: the attribute has no value from then on. */
  value?: AttributeValue | null;
  /** Unix seconds; absent: now, if the attribute does not have the value already. */
  validFrom?: number | null;
}

/** The attributes that a device or a site is to have. */
export interface OwnedAttributes {
  /** Key of the owner: the serial of a device in the form for comparison, the identifier of a site. */
  ownerKey: string;
  attributes: readonly AttributePut[];
}

/** Values to store for an owner, or the faults for which none is. */
export interface AttributePlan {
  writes: readonly (AttributePut & { validFrom: number })[];
  faults: readonly Fault[];
}

interface Known {
  ownerKey: string;
  name: string;
  versions: number;
  /** The value that holds now. */
  value: AttributeValue | null;
}

/** The owners of attributes, which are all devices or all sites. */
export interface Owners {
  kind: 'device' | 'site';
  organizationId: string;
}

/** The column of each kind's keys, as text. */
const keyColumns = { device: sql`d.serial_key`, site: sql`d.id::text` };

/**
 * Plans the attributes of many devices or sites: which values differ from those that hold, and whose would be too many.
 * The caller then holds locks of these, unless it is a dry run.
 */
export async function planAttributes(
  run: Read,
  { kind, organizationId }: Owners,
  puts: readonly OwnedAttributes[],
  { dryRun, now }: { dryRun: boolean; now: Date },
): Promise<Map<string, AttributePlan>> {
  const keys = textArray(puts.map(({ ownerKey }) => ownerKey));
  const key = keyColumns[kind];
  const owners = sql`${raw(kind)} d where d.organization_id = ${organizationId} and ${key} = any(${keys})`;
  if (!dryRun) await run(sql`select from ${owners} order by d.id for update`);
  const rows = await run<Known>(sql`
    select w."ownerKey", a.name, count(*)::int as versions,
           (array_agg(a.value order by a.valid_from desc) filter (where a.valid_from <= ${now}))[1] as value
      from (select d.id, ${key} as "ownerKey" from ${owners}) w join attribute a on a.owner_id = w.id
     group by w."ownerKey", a.name`);
  const known = Map.groupBy(rows, ({ ownerKey }) => ownerKey);
  return new Map(
    puts.map(({ ownerKey, attributes }) => [ownerKey, planOf(kind, attributes, known.get(ownerKey) ?? [], now)]),
  );
}

const planOf = (
  kind: Owners['kind'],
  attributes: readonly AttributePut[],
  known: readonly Known[],
  now: Date,
): AttributePlan => {
  const stored = new Map(known.map((each) => [each.name, each]));
  const writes = attributes
    .filter(({ name, value, validFrom }) => validFrom != null || (value ?? null) !== (stored.get(name)?.value ?? null))
    .map((each) => ({ ...each, validFrom: each.validFrom ?? now.getTime() / 1000 }));
  const { names, versions } = maxAttributes;
  const count = new Set([...stored.keys(), ...writes.map(({ name }) => name)]).size;
  const faults: Fault[] = [];
  if (count > names)
    faults.push({ path: 'attributes', message: `a ${kind} has at most ${names} attributes; this would make ${count}` });
  // A value of a time that has one already counts here, too.
  const added = Map.groupBy(writes, ({ name }) => name);
  for (const [name, some] of added)
    if ((stored.get(name)?.versions ?? 0) + some.length > versions)
      faults.push({ path: 'attributes', message: `an attribute has at most ${versions} values over time` });
  return { writes, faults };
};

/** A value to store, from a time on in Unix seconds. */
export type OwnedWrite = AttributePut & { ownerId: string; validFrom: number };

/** Stores values of attributes of devices or sites. */
export async function storeAttributes(
  run: Read,
  { kind, organizationId }: Owners,
  writes: readonly OwnedWrite[],
): Promise<void> {
  if (writes.length === 0) return;
  const rows = writes.map(({ value, ...write }) => ({ ...write, value: JSON.stringify(value ?? null) }));
  await run(sql`
    insert into attribute (organization_id, ${raw(`${kind}_id`)}, name, valid_from, value)
    select ${organizationId}, w."ownerId", w.name, to_timestamp(w."validFrom"), nullif(w.value::jsonb, 'null')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w ("ownerId" uuid, name text, "validFrom" float8, value text)
    on conflict (owner_id, name, valid_from) do update set value = excluded.value`);
}
