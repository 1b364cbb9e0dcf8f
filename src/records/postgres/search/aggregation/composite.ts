import sql, { join, type Sql } from 'sql-template-tag';
import { compositeCursor } from '#records/answer/composite.js';
import type { WithChildren } from '#search/aggregation/aggregation.js';
import { type Answer, hiddenParts } from '#search/aggregation/aggregation-answer.js';
import type { CompositeAggregation } from '#search/aggregation/composite.js';
import { chain } from '#search/pace.js';
import type { Predicate } from '#search/query/predicate.js';
import { illegalArgument } from '#search/search-failure.js';
import type { Input } from '#search/syntax/input.js';
import { scalarText } from '#search/syntax/value.js';
import type { AggregationContext, Inside, Planned } from './bucket/aggregation-context.js';
import type { Bucket } from './bucket/bucket.js';
import { type CompositeKey, compositeKey } from './bucket/composite-key.js';

/** Plans buckets of several keys, page by page. `after` is the last key of the previous page. */
export const composite = (aggregation: WithChildren<CompositeAggregation>, context: AggregationContext): Planned => {
  const { at, sources, size, after } = aggregation;
  if (!context.isTop) {
    throw illegalArgument('[composite] aggregation cannot be used with a parent aggregation', at);
  }
  const keys = sources.map((source, index) => compositeKey(source, index, context));
  const bound = keys.filter((key) => key !== undefined);
  const cursor = after === undefined ? undefined : compositeCursor(after, aggregation);
  if (bound.length < keys.length) {
    context.planEmpty(aggregation);
    return { read: () => ({ buckets: [] }) };
  }
  const conditions = cursor === undefined ? [] : [afterCondition(bound, cursor)];
  const last = bound.at(-1)!.key;
  const where = [...(last.where === undefined ? [] : [last.where]), ...conditions];
  const all = bound.map(({ key }, index) =>
    index === bound.length - 1 && where.length > 0 ? { ...key, where: join(where, ' and ') } : key,
  );
  const order = () => bound.map(({ ordered, descending, nullsFirst }, index) => ordered(index, descending, nullsFirst));
  const inner = context.inside(all, {
    cut: { size, minDocCount: 1, order },
    ...reach(aggregation, context, cursor?.[0]),
  });
  const children = inner.planAll(aggregation);
  const count = inner.count();
  const partsOf = (bucket: Bucket, read: (key: CompositeKey, answered: unknown) => unknown): readonly unknown[] => {
    const answered = inner.rows.keysOf(bucket.row!);
    return bound.map((key, index) => (answered[index] === null ? null : read(key, answered[index])));
  };
  const keyOf = (bucket: Bucket): Answer => {
    const parts = partsOf(bucket, ({ written }, answered) => written(answered));
    return Object.fromEntries(bound.map(({ name }, index) => [name, parts[index]]));
  };
  const sortedBy = (bucket: Bucket) => partsOf(bucket, ({ value }, answered) => value(answered));
  return {
    read: (around) => {
      const buckets = inner.rows.bucketsOf(around);
      context.planning.made(buckets.length);
      const final = buckets.at(-1);
      return chain(
        children.readAll(buckets, (bucket) => [
          { key: keyOf(bucket), doc_count: count(bucket), [hiddenParts]: sortedBy(bucket) },
          bucket,
        ]),
        (answers) => ({ ...(final && { after_key: keyOf(final) }), buckets: answers }),
      );
    },
  };
};

/**
 * Restricts the records of a page whose first key is the device: to those of the devices from the cursor on. Each of
 * them with records makes a bucket, so as many devices as requested buckets usually suffice.
 */
const reach = (
  { sources, size }: CompositeAggregation,
  context: AggregationContext,
  after: Input | undefined,
): Inside => {
  const [first] = sources;
  const field = first && first.by === 'terms' && !first.missing ? context.field(first.field, first.at) : undefined;
  if (field?.path !== 'device.id') return {};
  const sign = first!.descending ? -1 : 1;
  const from = after && !after.isNull ? scalarText(after) : undefined;
  const inOrder = (a: string, b: string) => (a === b ? 0 : a < b ? -sign : sign);
  const left = context.planning.scope.deviceIds
    .filter((id) => from === undefined || inOrder(id, from) >= 0)
    .toSorted(inOrder);
  const of = (values: readonly string[]): Predicate => ({ kind: 'in', field, values });
  // The cursor's own device may have no more buckets.
  const some = left.slice(0, size + 1);
  return { where: [of(left)], ...(some.length < left.length && { first: of(some) }) };
};

/**
 * Builds the condition for keys after a cursor, each compared in its own direction. Nulls are at the end to which they
 * are sorted.
 */
const afterCondition = (keys: readonly CompositeKey[], cursor: readonly Input[]): Sql => {
  const values = keys.map((key, index) => {
    const input = cursor[index]!;
    if (!input.isNull) return key.parameter(input);
    if (!key.missingBucket) throw illegalArgument(`Invalid value for [after.${key.name}]: null`, input);
    return null;
  });
  const branches = keys.map((key, index) => {
    const equal = keys
      .slice(0, index)
      .map((earlier, place) =>
        values[place] === null ? sql`${earlier.compared} is null` : sql`${earlier.compared} = ${values[place]!}`,
      );
    return sql`(${join([...equal, beyond(key, values[index]!)], ' and ')})`;
  });
  return sql`(${join(branches, ' or ')})`;
};

const beyond = ({ compared, descending, nullsFirst, missingBucket }: CompositeKey, value: Sql | null): Sql => {
  if (value === null) return nullsFirst ? sql`${compared} is not null` : sql`false`;
  const further = descending ? sql`${compared} < ${value}` : sql`${compared} > ${value}`;
  return missingBucket && !nullsFirst ? sql`(${further} or ${compared} is null)` : further;
};
