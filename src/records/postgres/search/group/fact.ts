import sql from 'sql-template-tag';
import type { VariableType } from '#entities/enums.js';
import type { GroupCall } from '#records/group-series.js';
import { slotKind } from '#records/scope/slot.js';
import type { Rows } from '#records/scope/snapshot-reader.js';
import { settingsFor, variablesFor } from '#records/scope/variable.js';

/** The variable of a product. */
export interface VariableFact {
  productId: string;
  type: VariableType;
  unit: string | null;
  /** Settings of a counter; null without them. */
  jitter: number | null;
  rollsOverAt: number | null;
  /** Position in the arrays of records; null if no record has a value. */
  slot: number | null;
}

/** Declarations of a variable by the products of an organization, by kind. */
export interface VariableFacts {
  /** Products that declare it as a number or BOOL. */
  readonly numeric: readonly VariableFact[];
  /** Products that declare it as TXT. */
  readonly textual: readonly VariableFact[];
}

/** Reads how the products that an organization has or uses declare a variable. */
export const readFacts = async (
  rows: Rows,
  { organizationId, variable }: Pick<GroupCall, 'organizationId' | 'variable'>,
): Promise<VariableFacts> => {
  const found = await rows<VariableFact>(
    sql`
      select p.id as "productId", v ->> 'type' as type, v ->> 'unit' as unit, s.slot,
             (c.counter ->> 'jitter')::float8 as jitter, (c.counter ->> 'rollsOverAt')::float8 as "rollsOverAt"
        from product p cross join lateral jsonb_array_elements(${variablesFor(sql`${organizationId}::uuid`)}) v
        cross join lateral (select ${settingsFor(sql`${organizationId}::uuid`)} -> 'variables' -> (v ->> 'name') -> 'counter' as counter) c
        left join product_slot s on s.product_id = p.id and s.name = v ->> 'name' and s.type = v ->> 'type'
       where v ->> 'name' = ${variable}
         and (p.organization_id = ${organizationId}::uuid
              or p.id in (select product_id from device where organization_id = ${organizationId}::uuid))`,
    'group variable',
  );
  const { number: numeric = [], text: textual = [] } = Object.groupBy(found, ({ type }) => slotKind(type));
  return { numeric, textual };
};

/** Returns the unit on which products agree. */
export const commonUnit = ({ numeric, textual }: VariableFacts): string | null => {
  const units = new Set([...numeric, ...textual].map(({ unit }) => unit));
  return units.size === 1 ? [...units][0]! : null;
};

/** Whether a fall of a counter may be something else than a reset. */
export const isNoisy = ({ jitter, rollsOverAt }: Pick<VariableFact, 'jitter' | 'rollsOverAt'>): boolean =>
  (jitter ?? 0) > 0 || rollsOverAt !== null;
