import sql from 'sql-template-tag';
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

/** The attributes that a device is to have, by its serial in the form for comparison. */
export interface DeviceAttributes {
  serialKey: string;
  attributes: readonly AttributePut[];
}

/** Values to store for a device, or the faults for which none is. */
export interface AttributePlan {
  writes: readonly (AttributePut & { validFrom: number })[];
  faults: readonly Fault[];
}

interface Known {
  serialKey: string;
  name: string;
  versions: number;
  /** The value that holds now. */
  value: AttributeValue | null;
}

/**
 * Plans the attributes of many devices: which values differ from those that hold, and whose would be too many. The
 * caller then holds locks of these devices, unless it is a dry run.
 */
export async function planAttributes(
  run: Read,
  organizationId: string,
  puts: readonly DeviceAttributes[],
  { dryRun, now }: { dryRun: boolean; now: Date },
): Promise<Map<string, AttributePlan>> {
  const keys = textArray(puts.map(({ serialKey }) => serialKey));
  const devices = sql`device d where d.organization_id = ${organizationId} and d.serial_key = any(${keys})`;
  if (!dryRun) await run(sql`select from ${devices} order by d.id for update`);
  const rows = await run<Known>(sql`
    select w."serialKey", a.name, count(*)::int as versions,
           (array_agg(a.value order by a.valid_from desc) filter (where a.valid_from <= ${now}))[1] as value
      from (select d.id, d.serial_key as "serialKey" from ${devices}) w join attribute a on a.owner_id = w.id
     group by w."serialKey", a.name`);
  const known = Map.groupBy(rows, ({ serialKey }) => serialKey);
  return new Map(
    puts.map(({ serialKey, attributes }) => [serialKey, planOf(attributes, known.get(serialKey) ?? [], now)]),
  );
}

const planOf = (attributes: readonly AttributePut[], known: readonly Known[], now: Date): AttributePlan => {
  const stored = new Map(known.map((each) => [each.name, each]));
  const writes = attributes
    .filter(({ name, value, validFrom }) => validFrom != null || (value ?? null) !== (stored.get(name)?.value ?? null))
    .map((each) => ({ ...each, validFrom: each.validFrom ?? now.getTime() / 1000 }));
  const { names, versions } = maxAttributes;
  const count = new Set([...stored.keys(), ...writes.map(({ name }) => name)]).size;
  const faults: Fault[] = [];
  if (count > names)
    faults.push({ path: 'attributes', message: `a device has at most ${names} attributes; this would make ${count}` });
  // A value of a time that has one already counts here, too.
  const added = Map.groupBy(writes, ({ name }) => name);
  for (const [name, some] of added)
    if ((stored.get(name)?.versions ?? 0) + some.length > versions)
      faults.push({ path: 'attributes', message: `an attribute has at most ${versions} values over time` });
  return { writes, faults };
};

/** Stores values of attributes of devices. */
export async function storeAttributes(
  run: Read,
  organizationId: string,
  writes: readonly (AttributePut & { deviceId: string; validFrom: number })[],
): Promise<void> {
  if (writes.length === 0) return;
  const rows = writes.map(({ value, ...write }) => ({ ...write, value: JSON.stringify(value ?? null) }));
  await run(sql`
    insert into attribute (organization_id, device_id, name, valid_from, value)
    select ${organizationId}, w."deviceId", w.name, to_timestamp(w."validFrom"), nullif(w.value::jsonb, 'null')
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w ("deviceId" uuid, name text, "validFrom" float8, value text)
    on conflict (owner_id, name, valid_from) do update set value = excluded.value`);
}
