import sql, { type Sql } from 'sql-template-tag';
import type { BucketOrder } from '../../../../../search/aggregation/option/bucket-order.js';
import { type Place, SearchFailure } from '../../../../../search/failure.js';
import type { Bucket } from './bucket.js';
import type { Children, SortColumn } from './stage.js';

/** One key of an order, resolved: the count, the key, or a metric inside the buckets. */
export type OrderKey = { readonly descending: boolean } & (
  | { readonly by: 'count' }
  | { readonly by: 'key' }
  | { readonly by: 'metric'; readonly metric: SortColumn }
);

/** Resolves an order; ties are broken by the key, ascending. */
export const orderOf = (order: readonly BucketOrder[], children: Children): OrderKey[] => {
  const keys = order.map(({ path, descending, at }): OrderKey => {
    if (path === '_count') return { by: 'count', descending };
    if (path === '_key') return { by: 'key', descending };
    return { by: 'metric', descending, metric: metricOf(path, children, at) };
  });
  return keys.some(({ by }) => by === 'key') ? keys : [...keys, { by: 'key', descending: false }];
};

/** An order in SQL, over alias `g`. `keys`: what is compared of the buckets' own keys. */
export const orderInSql = (order: readonly OrderKey[], keys: readonly Sql[]): Sql[] =>
  order.flatMap((key) => {
    const direction = key.descending ? sql`desc` : sql`asc`;
    if (key.by === 'count') return [sql`g.n ${direction}`];
    if (key.by === 'key') return keys.map((own) => sql`${own} ${direction}`);
    const { column, empty } = key.metric;
    if (empty === 'last') return [sql`(${column} is null)`, sql`${column} ${direction}`];
    return [sql`coalesce(${column}::float8, ${empty}::float8) ${direction}`];
  });

/** Compares made buckets by an order. */
export const comparing =
  (order: readonly OrderKey[], count: (bucket: Bucket) => number, byKey: (a: Bucket, b: Bucket) => number) =>
  (a: Bucket, b: Bucket): number => {
    for (const key of order) {
      const sign = key.descending ? -1 : 1;
      if (key.by === 'metric') {
        const difference = compareMetric(key.metric, a, b, sign);
        if (difference !== 0) return difference;
      } else {
        const difference = key.by === 'count' ? count(a) - count(b) : byKey(a, b);
        if (difference !== 0) return sign * difference;
      }
    }
    return 0;
  };

const compareMetric = ({ cell, empty }: SortColumn, a: Bucket, b: Bucket, sign: number): number => {
  const [left, right] = [cell(a), cell(b)];
  if (empty === 'last') {
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (Number(left) - Number(right));
  }
  const [x, y] = [Number(left ?? empty), Number(right ?? empty)];
  return x === y ? 0 : sign * (x < y ? -1 : 1);
};

const metricOf = (path: string, children: Children, place: Place): SortColumn => {
  const steps = path.split('>');
  let around = children;
  for (const step of steps.slice(0, -1)) {
    const inner = around.get(step)?.children;
    if (inner === undefined) throw invalidOrder(path, place);
    around = inner;
  }
  const [, metric = '', bracketed, dotted] = /^([^.[]*)(?:\[(.*)\]|\.(.*))?$/s.exec(steps.at(-1)!) ?? [];
  const exact = around.get(steps.at(-1)!)?.sortable?.('');
  const found = exact ?? around.get(metric)?.sortable?.(bracketed ?? dotted ?? '');
  if (found === undefined) throw invalidOrder(path, place);
  return found;
};

const invalidOrder = (path: string, place: Place) =>
  new SearchFailure(
    400,
    'aggregation_execution_exception',
    `Invalid aggregation order path [${path}]. The path must name a metric, or a metric inside aggregations of one bucket.`,
    place,
  );
