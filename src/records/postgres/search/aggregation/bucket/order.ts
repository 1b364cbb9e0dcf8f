import sql, { type Sql } from 'sql-template-tag';
import type { OrderKey } from '../../../../answer/bucket-order.js';
import type { SortColumn } from './stage.js';

/** Builds the SQL of an order, over the alias `g`. `keys` are the buckets' own keys in comparable form. */
export const orderInSql = (order: readonly OrderKey<SortColumn>[], keys: readonly Sql[]): Sql[] =>
  order.flatMap((key) => {
    const direction = key.descending ? sql`desc` : sql`asc`;
    if (key.by === 'count') return [sql`g.n ${direction}`];
    if (key.by === 'key') return keys.map((own) => sql`${own} ${direction}`);
    const { column, empty } = key.metric;
    if (empty === 'last') return [sql`(${column} is null)`, sql`${column} ${direction}`];
    return [sql`coalesce(${column}::float8, ${empty}::float8) ${direction}`];
  });
