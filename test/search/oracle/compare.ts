import {
  forgetsNames,
  isArguedAggregation,
  isArguedError,
  isBeyondLong,
  isSketched,
  mixesBuckets,
  readsArgued,
  sortsByArgued,
  sortsMixed,
} from './argued.js';
import { compareValue } from './compare-value.js';
import { inOurOrder, scaleOf } from './last-digit.js';
import { innermost, type Plain } from './plain.js';
import { sortKeys } from './sort.js';

/** Returns where two answers to one query differ; ours is wrong unless docs/search.md explains the difference. */
export const differences = (body: Plain, ours: Plain, theirs: Plain): string[] => {
  const [mine, other] = [ours['error'], theirs['error']] as (Plain | undefined)[];
  if (mine !== undefined || other !== undefined)
    return isArguedError(body, ours, theirs) ? [] : compareErrors(ours, theirs);
  const total = (theirs['hits'] as { total?: { value: number } }).total?.value ?? Number.POSITIVE_INFINITY;
  const aggregations = (body['aggs'] ?? body['aggregations']) as Plain | undefined;
  return [
    ...compareHits(sortKeys(body['sort']), withTotal(body, ours, theirs), theirs['hits'] as Plain, 'hits').filter(
      (line) => !(forgetsNames(body) && /\.matched_queries: .* theirs undefined$/.test(line)),
    ),
    ...(aggregations === undefined
      ? compareValue(ours['aggregations'], theirs['aggregations'], 'aggregations')
      : compareAggregations(
          aggregations,
          (ours['aggregations'] ?? {}) as Plain,
          (theirs['aggregations'] ?? {}) as Plain,
          total,
          '',
        )),
  ];
};

/** Takes OpenSearch's total for our hits where that is explained: without hits OpenSearch may stop counting early. */
const withTotal = (body: Plain, ours: Plain, theirs: Plain): Plain => {
  const [mine, other] = [ours['hits'] as Plain, theirs['hits'] as Plain];
  const [own, total] = [mine['total'], other['total']] as (Plain | undefined)[];
  const isReached = own?.['value'] === total?.['value'] && own?.['value'] === Number(body['track_total_hits']);
  return Number(body['size']) === 0 && isReached ? { ...mine, total } : mine;
};

/** Compares the status and the innermost type of errors. A 500 of OpenSearch counts as 400. */
const compareErrors = (ours: Plain, theirs: Plain): string[] => {
  const shown = (answer: Plain) => {
    const error = answer['error'] as Plain | undefined;
    return error === undefined
      ? `an answer`
      : `${String(answer['status'])} ${innermost(error)['type'] as string}: ${innermost(error)['reason'] as string}`.slice(
          0,
          300,
        );
  };
  const different = [`error: ours ${shown(ours)}, theirs ${shown(theirs)}`];
  if (ours['error'] === undefined || theirs['error'] === undefined) return different;
  if (theirs['status'] === 500) return ours['status'] === 400 ? [] : different;
  const type = (answer: Plain) => innermost(answer['error'] as Plain)['type'];
  return ours['status'] === theirs['status'] && type(ours) === type(theirs) ? [] : different;
};

interface Hit {
  _id: string;
  sort?: unknown[];
  _source?: unknown;
  fields?: unknown;
  matched_queries?: readonly string[];
}

const compareHits = (keys: readonly string[], ours: Plain, theirs: Plain, path: string): string[] => {
  const total = compareValue(ours['total'], theirs['total'], `${path}.total`);
  const [mine, other] = [ours['hits'] as Hit[], theirs['hits'] as Hit[]];
  if (mine.length !== other.length) return [...total, `${path}: ours ${mine.length}, theirs ${other.length}`];
  // Without a sort, our records are the newest ones, so only complete lists can be compared.
  const isAll = (theirs['total'] as Plain | undefined)?.['value'] === other.length;
  if (keys.length === 0 && !isAll) return total;
  const byId = (a: Hit, b: Hit) => (a._id < b._id ? -1 : 1);
  const [left, right] = keys.length > 0 ? [mine, other] : [mine.toSorted(byId), other.toSorted(byId)];
  return [...total, ...left.flatMap((hit, index) => compareHit(keys, hit, right[index]!, `${path}.${index}`))];
};

const compareHit = (keys: readonly string[], ours: Hit, theirs: Hit, path: string): string[] => {
  if (ours._id !== theirs._id)
    return [`${path}: ours ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`.slice(0, 900)];
  const sorts = keys.flatMap((key, index) =>
    key === '_doc' || key === '_score' || isBeyondLong(ours.sort?.[index], theirs.sort?.[index])
      ? []
      : compareValue(sortValue(ours.sort?.[index]), sortValue(theirs.sort?.[index]), `${path}.sort.${index}`),
  );
  return [
    ...sorts,
    ...compareValue(ours._source, theirs._source, `${path}._source`),
    ...compareValue(ours.fields, theirs.fields, `${path}.fields`),
    ...compareValue(ours.matched_queries?.toSorted(), theirs.matched_queries?.toSorted(), `${path}.matched_queries`),
  ];
};

const sortValue = (value: unknown): unknown => (value === undefined ? null : value);

const compareAggregations = (
  asked: Plain,
  ours: Plain,
  theirs: Plain,
  count: number,
  path: string,
  around: readonly Plain[] = [],
): string[] =>
  [...new Set([...Object.keys(asked), ...Object.keys(ours), ...Object.keys(theirs)])].flatMap((name) => {
    const [one, mine, other] = [asked[name], ours[name], theirs[name]] as Plain[];
    if (one === undefined) return compareValue(mine, other, `${path}.${name}`);
    const [kind, options] = kindOf(one);
    if (readsArgued(kind, options, asked)) return [];
    if (subtracts(kind)) return compareValue(mine, other, `${path}.${name}(${kind})`, 1e-9, scaleOf(options, around));
    return compareAggregation(one, mine, other, count, `${path}.${name}`);
  });

const subtracts = (kind: string): boolean => kind === 'derivative' || kind === 'serial_diff';

/**
 * Whether variances differ only by rounding: a variance is the small rest of two large sums, which for dates agree in
 * their first ten digits.
 */
const isRoundedVariance = (ours: Plain, theirs: Plain): boolean => {
  const [mine, other] = [Number(ours['variance']), Number(theirs['variance'])];
  const apart = Math.abs(mine - other);
  return apart > 1e-9 * other && apart <= 2 ** -51 * Number(theirs['sum_of_squares']);
};

const withoutVariance = (answer: Plain): Plain =>
  Object.fromEntries(Object.entries(answer).filter(([key]) => !/^(?:variance|std_deviation)/.test(key)));

const kindOf = (asked: Plain): [kind: string, options: Plain] =>
  Object.entries(asked).find(([key]) => !['aggs', 'aggregations', 'meta'].includes(key)) as [string, Plain];

const compareAggregation = (
  asked: Plain,
  ours: Plain | undefined,
  theirs: Plain | undefined,
  count: number,
  path: string,
): string[] => {
  if (ours === undefined || theirs === undefined) return compareValue(ours, theirs, path);
  const [kind, options] = kindOf(asked);
  const inner = (asked['aggs'] ?? asked['aggregations'] ?? {}) as Plain;
  const at = `${path}(${kind})`;
  if (isArguedAggregation(kind, options, path) || sortsMixed(kind, path, inner) || sortsByArgued(options, inner))
    return [];
  if (kind === 'top_hits')
    return compareHits(sortKeys(options['sort']), ours['hits'] as Plain, theirs['hits'] as Plain, at);
  if (isSketched(kind)) return compareSketch(kind, ours, theirs, count, at);
  // OpenSearch quantizes the decimals of points; other tests cover exactness.
  if (kind.startsWith('geo_')) return compareBuckets(inner, ours, theirs, count, at, 1e-6);
  const [mine, other] = isRoundedVariance(ours, theirs)
    ? [withoutVariance(ours), withoutVariance(theirs)]
    : [ours, theirs];
  const settled = inOurOrder(options['order'], mine['buckets'], other['buckets']);
  return compareBuckets(inner, mine, { ...other, ...settled }, count, at, 1e-9, !mixesBuckets(kind, path));
};

const compareBuckets = (
  inner: Plain,
  ours: Plain,
  theirs: Plain,
  count: number,
  path: string,
  tolerance: number,
  deep = true,
): string[] => {
  const names = Object.keys(inner);
  const rest = (answer: Plain) =>
    Object.fromEntries(Object.entries(answer).filter(([key]) => key !== 'buckets' && !(key in inner)));
  const below =
    names.length === 0 || 'buckets' in theirs
      ? []
      : compareAggregations(inner, only(ours, names), only(theirs, names), doc(theirs, count), path);
  const outer = compareValue(rest(ours), rest(theirs), path, tolerance);
  if (!('buckets' in theirs)) return [...outer, ...below];
  const [mine, other] = [ours['buckets'], theirs['buckets']] as (Plain[] | Plain)[];
  if (Array.isArray(mine) !== Array.isArray(other) || mine === undefined) return compareValue(mine, other, path);
  const keys = new Set([...Object.keys(mine), ...Object.keys(other!)]);
  if (Array.isArray(mine) && mine.length !== (other as Plain[]).length)
    return [
      ...outer,
      `${path}.buckets: ${alone('ours', mine, other as Plain[])}, ${alone('theirs', other as Plain[], mine)}`,
    ];
  const each = [...keys].flatMap((key) => {
    const [left, right] = [(mine as Plain)[key], (other as Plain)[key]] as (Plain | undefined)[];
    if (left === undefined || right === undefined) return compareValue(left, right, `${path}.${key}`);
    return [
      ...compareValue(withoutNames(left, inner), withoutNames(right, inner), `${path}.${key}`, tolerance),
      ...(names.length === 0 || !deep
        ? []
        : compareAggregations(
            inner,
            only(left, names),
            only(right, names),
            doc(right, count),
            `${path}.${key}`,
            Object.values(other!) as Plain[],
          )),
    ];
  });
  return [...outer, ...each];
};

/** Returns the buckets that the other side lacks. */
const alone = (side: string, own: readonly Plain[], other: readonly Plain[]): string => {
  const keyOf = ({ key, doc_count: count }: Plain) => `${JSON.stringify(key)}: ${count as number}`;
  const others = new Set(other.map(keyOf));
  return `${side} ${own.length}, alone ${own
    .map(keyOf)
    .filter((key) => !others.has(key))
    .slice(0, 10)
    .join('; ')}`;
};

const doc = (bucket: Plain, count: number): number => (bucket['doc_count'] as number | undefined) ?? count;
const withoutNames = (of: Plain, names: Plain): Plain =>
  Object.fromEntries(Object.entries(of).filter(([key]) => !(key in names)));
const only = (of: Plain, names: readonly string[]): Plain =>
  Object.fromEntries(names.filter((name) => name in of).map((name) => [name, of[name]]));

/**
 * Compares values that OpenSearch estimates and the service interpolates: their shape, and the values when there are
 * enough.
 */
const compareSketch = (kind: string, ours: Plain, theirs: Plain, count: number, path: string): string[] => {
  const leaves = (value: unknown): unknown[] =>
    value !== null && typeof value === 'object'
      ? Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .flatMap(([key, inner]) => [key, ...leaves(inner)])
      : [value];
  const [mine, other] = [leaves(ours), leaves(theirs)];
  const near = kind === 'percentile_ranks' ? 5 : 30;
  const same = (a: unknown, b: unknown) => {
    if (typeof a !== 'number' || typeof b !== 'number')
      return (typeof a === 'string' && typeof b === 'string' && /^[-\d.,:TZE]+$/.test(a)) || a === b;
    return (
      count < 100 || Math.abs(a) > 1000 || Math.abs(b) > 1000 || !path.includes('level') || Math.abs(a - b) <= near
    );
  };
  return mine.length === other.length && mine.every((item, index) => same(item, other[index]))
    ? []
    : [`${path}: ours ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`.slice(0, 600)];
};
