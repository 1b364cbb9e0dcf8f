import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { CursorKey } from './cursor.js';
import type { Listing, ListRequest } from './list-read.js';

/** A key of a list's order. Null comes last in both directions. */
export interface ListOrderKey {
  key: Sql;
  descending: boolean;
  nullable: boolean;
}

/** Format of a text key in a cursor: at most 2,100 characters, without NUL. */
const anyText = /^[^\0]{0,2100}$/su;
const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Turns a list into the form that a connection shows (keyset paging): each row has the texts of its keys, and a page
 * begins after the keys of a row, so that rows created or deleted meanwhile neither repeat nor hide other rows.
 * PostgreSQL converts each text to the type of the key that it is compared with.
 */
export function keysetOf(listing: Listing, keys: readonly ListOrderKey[], { connection }: ListRequest): Listing {
  if (connection === undefined) return listing;
  const used = untilUnique(keys, listing.tie);
  const texts = join(used.map(({ key }) => sql`(${key})::text`));
  return {
    ...listing,
    rows: (selected, also = empty) => listing.rows(selected, sql`${also}, array[${texts}] as "cursorKeys"`),
    cursor: {
      kind: connection.kind,
      shape: used.map(({ key }) => (key.sql === listing.tie.sql ? identifier : anyText)),
      after: (values) => after(used, values),
    },
    ...(connection.parentId !== undefined && { parentId: connection.parentId }),
  };
}

/** Returns the keys up to the unique one, without repetitions. Later keys have no effect. */
function untilUnique(keys: readonly ListOrderKey[], tie: Sql): ListOrderKey[] {
  const texts = keys.map(({ key }) => key.sql);
  return keys.slice(0, texts.indexOf(tie.sql) + 1).filter((_key, index) => texts.indexOf(texts[index]!) === index);
}

/** Returns the condition that a row comes after the one with these values. */
function after(
  [first, ...others]: readonly ListOrderKey[],
  [value, ...values]: readonly (CursorKey | undefined)[],
): Sql {
  if (first === undefined || value === undefined) return sql`false`;
  const { key, descending, nullable } = first;
  const later = after(others, values);
  if (value === null) return sql`(${key} is null and ${later})`;
  const beyond = descending ? sql`${key} < ${value}` : sql`${key} > ${value}`;
  const past = nullable ? sql`(${beyond} or ${key} is null)` : beyond;
  if (others.length === 0) return past;
  const either = sql`(${past} or (${key} = ${value} and ${later}))`;
  // The redundant condition outside of `or` lets an index in this order start there.
  const reached = descending ? sql`${key} <= ${value}` : sql`${key} >= ${value}`;
  return nullable ? either : sql`(${reached} and ${either})`;
}
