import sql, { type Sql } from 'sql-template-tag';

/** Selects the attributes of owners that hold at a time, each with its owner. */
export const attributesAt = (ownerIds: Sql, at: Sql): Sql => sql`
  select "ownerId", name, value, "validFrom" from (
    select distinct on (owner_id, name) owner_id as "ownerId", name, value,
           extract(epoch from valid_from)::float8 as "validFrom"
      from attribute where owner_id = any(${ownerIds}::uuid[]) and valid_from <= ${at}
     order by owner_id, name, valid_from desc) present
   where value is not null order by "ownerId", name collate "C"`;
