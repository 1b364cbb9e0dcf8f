import sql, { type Sql } from 'sql-template-tag';
import type { SeriesCall } from '#records/record-index.js';
import { variablesFor } from './variable.js';

/** Selects the requested variables that the devices' products declare, as rows of `DeclaredPair`. */
export const declaredPairs = ({ deviceIds, variables }: Pick<SeriesCall, 'deviceIds' | 'variables'>): Sql => sql`
  select d.id as "deviceId", v ->> 'name' as name, v ->> 'type' as type, v ->> 'unit' as unit
    from device d join product p on p.id = d.product_id cross join lateral jsonb_array_elements(${variablesFor(sql`d.organization_id`)}) v
   where d.id = any(${deviceIds}::uuid[]) and v ->> 'name' = any(${variables}::text[])`;
