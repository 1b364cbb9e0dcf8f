import { innermost, type Plain, within } from './plain.js';

// The differences explained in docs/search.md and README.md, each recognized as narrowly as two answers and the query allow.

/** Whether the two sides answer a query differently by design. */
export const isArguedBody = (body: Plain): boolean => shiftsNumbers(body) || hasSeconds(body) || hasDash(body);

/**
 * Whether a query has numeric times, also as text, with a time zone. OpenSearch shifts them by the zone, except bounds
 * of a histogram.
 */
const shiftsNumbers = (body: Plain): boolean =>
  within(body).some((options) => {
    if (
      'after' in options &&
      within(options['sources']).some((one) => 'time_zone' in one && String(one['format']).startsWith('epoch'))
    )
      return true;
    if (!('time_zone' in options)) return false;
    const { gt, gte, lt, lte, from, to, ranges } = options;
    const ends = within(ranges).flatMap((one) => [one['from'], one['to']]);
    const bounds = [options['extended_bounds'], options['hard_bounds']].flatMap((one) => Object.values(one ?? {}));
    return (
      [gt, gte, lt, lte, from, to, ...ends].some((value) => typeof value === 'number' || isDigits(value)) ||
      bounds.some(isDigits)
    );
  });

/** Numeric times whose size means seconds to us and milliseconds to OpenSearch. */
const hasSeconds = (body: Plain): boolean =>
  within(body).some(({ date_range: dates, range, date_histogram: histogram }) => {
    const ends = within((dates as Plain | undefined)?.['ranges']).flatMap(({ from, to }) => [from, to]);
    const own = within((range as Plain | undefined)?.['ts']).flatMap((options) => Object.values(options));
    const { extended_bounds: extended, hard_bounds: hard } = (histogram ?? {}) as Plain;
    const bounds = [extended, hard].flatMap((one) => Object.values(one ?? {}));
    return [...ends, ...own, ...bounds].some(
      (value) => /^-?\d+(?:\.\d+)?$/.test(String(value)) && Math.abs(Number(value)) < 1e11,
    );
  });

/** Serials with a dash, which only we compare without it. */
const hasDash = (body: Plain): boolean =>
  within(body).some((one) => JSON.stringify(one['device.serial'] ?? '').includes('-'));

const isDigits = (value: unknown): boolean => typeof value === 'string' && /^-?\d{5,}$/.test(value);

/** Whether two answers, at least one of them an error, differ for an explained reason. */
export const isArguedError = (body: Plain, ours: Plain, theirs: Plain): boolean =>
  isLeftOut(body, theirs) ||
  isOwnFault(ours, theirs) ||
  isCutLate(body, ours, theirs) ||
  isNeverLookedAt(body, theirs) ||
  isOfAnotherField(body, ours, theirs) ||
  isFormattedStandIn(theirs) ||
  isOwnKey(theirs) ||
  isHalfText(body, theirs) ||
  isOfNoHits(ours, theirs) ||
  isTimeOfNumber(ours, theirs) ||
  [isOverflow, isBracket, isPartOfExpression].some((is) => is(reasonOf(ours)));

/** Clauses beside `match_none` in a `bool` that requires it: OpenSearch does not check them. */
const isNeverLookedAt = (body: Plain, theirs: Plain): boolean =>
  theirs['error'] === undefined &&
  within(body).some((one) => {
    const { must = [], filter = [] } = (one['bool'] ?? {}) as Plain;
    return [must, filter].flat().some((clause) => clause !== null && Object.keys(clause as Plain)[0] === 'match_none');
  });

/** One text on fields of several types: each side reports the error of the field that it reaches first. */
const isOfAnotherField = (body: Plain, ours: Plain, theirs: Plain): boolean =>
  within(body).some((one) => 'query_string' in one) &&
  [ours, theirs].every(
    ({ error }) =>
      error !== undefined && /^(?:number_format|date_time_parse)_/.test(String(innermost(error as Plain)['type'])),
  );

/** Terms buckets that are not returned: OpenSearch counts their inner buckets as created. */
const isCutLate = (body: Plain, ours: Plain, theirs: Plain): boolean =>
  ours['error'] === undefined &&
  innermost(theirs['error'] as Plain)['type'] === 'too_many_buckets_exception' &&
  within(body).some((one) => 'terms' in one || 'multi_terms' in one);

/** A `missing` value that its `format` cannot parse: OpenSearch fails. */
const isFormattedStandIn = (theirs: Plain): boolean =>
  theirs['status'] === 500 && reasonOf(theirs).startsWith('Unparseable number: ');

/** A source of `composite` with `missing` or `format`: we accept the option, and OpenSearch refuses it. */
const isOwnKey = (theirs: Plain): boolean =>
  /\[(?:terms|histogram|date_histogram)\] unknown field \[(?:missing|format)\]/.test(reasonOf(theirs));

/** A distance range with one bound as text: OpenSearch parses the other bound as text too, and fails. */
const isHalfText = (body: Plain, theirs: Plain): boolean =>
  theirs['error'] !== undefined &&
  innermost(theirs['error'] as Plain)['type'] === 'null_pointer_exception' &&
  within(body).some(({ geo_distance: distances }) =>
    within((distances as Plain | undefined)?.['ranges']).some(
      ({ from, to }) => (typeof from === 'string') !== (typeof to === 'string'),
    ),
  );

/** `top_hits` with size 0, which OpenSearch refuses at the first record. */
const isOfNoHits = (ours: Plain, theirs: Plain): boolean =>
  theirs['error'] === undefined && reasonOf(ours).startsWith('numHits must be > 0');

/**
 * A `bool` that requires `match_none`, or one of its `should`, all of them `exists`: if no record has the fields,
 * OpenSearch takes the `bool` for nothing and forgets the names inside.
 */
export const forgetsNames = (body: Plain): boolean =>
  within(body).some((one) => {
    const { should = [], must = [], filter = [] } = (one['bool'] ?? {}) as Plain;
    const optional = [should].flat() as Plain[];
    const required = [must, filter].flat() as Plain[];
    return (
      (required.some((clause) => 'match_none' in clause) ||
        (optional.length > 0 && optional.every((clause) => 'exists' in clause) && required.length === 0)) &&
      within(one['bool']).some((clause) => '_name' in clause)
    );
  });

/** `date_histogram` over a number, which OpenSearch reads as milliseconds. */
const isTimeOfNumber = (ours: Plain, theirs: Plain): boolean =>
  theirs['error'] === undefined &&
  /of type \[(?:long|float|double)\] is not supported for aggregation \[date_histogram\]$/.test(reasonOf(ours));

const reasonOf = (answer: Plain): string =>
  answer['error'] === undefined ? '' : String(innermost(answer['error'] as Plain)['reason']);

/** Internal errors of OpenSearch, where an answer exists. */
const isOwnFault = (ours: Plain, theirs: Plain): boolean =>
  (theirs['status'] === 500 || (theirs['error'] !== undefined && ours['error'] !== undefined)) &&
  /^(?:null_pointer|class_cast|no_such_element|array_index|(?:string_)?index_out_of_bounds|illegal_state)/.test(
    String(innermost(theirs['error'] as Plain)['type']),
  );

/** A query key with `null`: we ignore the key, OpenSearch refuses it. */
const isLeftOut = (body: Plain, theirs: Plain): boolean =>
  Object.values(body).includes(null) && reasonOf(theirs).startsWith('Unknown key for a VALUE_NULL in [');

/**
 * An integer beyond a long, or the largest long, as the sort value of missing values: in OpenSearch it wraps around.
 */
export const isBeyondLong = (ours: unknown, theirs: unknown): boolean =>
  (typeof ours === 'number' || typeof ours === 'string') &&
  Math.abs(Number(ours)) >= 2 ** 63 &&
  typeof theirs === 'string';

/** Sums that overflow a double or a long. */
const isOverflow = (reason: string): boolean => reason === 'A number that the query computes is out of range';

/** An array or object instead of one value: OpenSearch reads its bracket as the value. */
const isBracket = (reason: string): boolean =>
  /^\[(?:term|terms|range)\] query does not support \[START_(?:ARRAY|OBJECT)\]$/.test(reason);

/** OpenSearch does not support `~` and `&` inside a regular expression. */
const isPartOfExpression = (reason: string): boolean =>
  /of a part of an expression are not supported in regular expression/.test(reason);

/** Whether the answers of an aggregation cannot be compared. */
export const isArguedAggregation = (kind: string, options: Plain, path: string): boolean =>
  isByPercentile(options['order']) ||
  (kind === 'geo_distance' && isOutOfOrder(options['ranges'])) ||
  countsTwice(kind, options) ||
  // OpenSearch estimates above its threshold of exact counts; 300 records have at most 1,000 values.
  (kind === 'cardinality' && Number(options['precision_threshold'] ?? 3000) < 1000) ||
  (path.includes('(auto_date_histogram)') &&
    (cutsBuckets(kind, options) || isTurned(kind, options) || isShiftedTwice(kind, options)));

/** Whether buckets are sorted by values that cannot be compared. */
export const sortsByArgued = ({ order }: Plain, inside: Plain): boolean =>
  within(order).some((keys) => Object.keys(keys).some((path) => leadsToArgued(path.split('>'), inside, 'terms')));

/**
 * Whether a pipeline aggregation reads values that cannot be compared, through its path or through buckets with equal
 * keys.
 */
export const readsArgued = (kind: string, options: Plain, beside: Plain): boolean => {
  const { buckets_path: paths } = options;
  return Object.values(typeof paths === 'string' ? [paths] : (paths ?? {})).some((path) =>
    leadsToArgued(String(path).split('>'), beside, kind),
  );
};

const leadsToArgued = ([step = '', ...rest]: readonly string[], beside: Plain, pipeline: string): boolean => {
  const one = beside[step.trim().replace(/[.[].*$/, '')] as Plain | undefined;
  if (one === undefined) return false;
  const [kind, options] = Object.entries(one).find(([key]) => !['aggs', 'aggregations', 'meta'].includes(key))!;
  return (
    isArguedAggregation(kind, options as Plain, '') ||
    isSketched(kind) ||
    (pipeline.endsWith('_bucket') && hasOneKeyTwice(options as Plain)) ||
    leadsToArgued(rest, (one['aggs'] ?? one['aggregations'] ?? {}) as Plain, pipeline)
  );
};

/** Whether OpenSearch estimates the values of an aggregation. */
export const isSketched = (kind: string): boolean =>
  ['percentiles', 'percentile_ranks', 'median_absolute_deviation'].includes(kind);

/** `keyed` buckets with equal keys: equal ranges, or a histogram whose format does not distinguish them. */
const hasOneKeyTwice = ({ keyed, ranges, format, calendar_interval, fixed_interval, interval }: Plain): boolean => {
  if (keyed !== true && keyed !== 'true') return false;
  const isHistogram = (calendar_interval ?? fixed_interval ?? interval) !== undefined;
  if (isHistogram) return typeof format === 'string' && !/^(?:epoch_|strict_date_time|date_time)/.test(format);
  const keys = within(ranges)
    .slice(1)
    .map(({ key, from, to, mask }) => JSON.stringify(key ?? [from, to, mask]));
  return new Set(keys).size < keys.length;
};

/**
 * A numeric histogram in another order than ascending. When OpenSearch merges shards, it reverses descending buckets
 * once more, and repeats some buckets sorted by count.
 */
const isTurned = (kind: string, options: Plain): boolean =>
  kind.endsWith('histogram') && /"desc"|"_count"/.test(JSON.stringify(options['order'] ?? ''));

/** A histogram with an offset: when OpenSearch merges shards, it shifts the empty buckets once more, off the grid. */
const isShiftedTwice = (kind: string, options: Plain): boolean => kind.endsWith('histogram') && 'offset' in options;

/**
 * Pipeline aggregations that remove or read buckets: inside `auto_date_histogram` OpenSearch first applies them to
 * narrower intervals.
 */
const cutsBuckets = (kind: string, options: Plain): boolean =>
  kind === 'rare_terms' || kind.endsWith('_bucket') || 'size' in options || 'min_doc_count' in options;

/** Several numbers in one record: `rare_terms` in OpenSearch counts the record once for each. */
const countsTwice = (kind: string, options: Plain): boolean =>
  kind === 'rare_terms' && several.test(String(options['field']));

const several = /^data\.(?:t|n|big|on|x)$/;

/** Whether OpenSearch fills the inner aggregations of buckets from other buckets. */
export const mixesBuckets = (kind: string, path: string): boolean => kind === 'rare_terms' && path.includes('(');

/** Whether buckets are sorted or removed by values of other buckets. */
export const sortsMixed = (kind: string, path: string, inside: Plain): boolean =>
  mixesBuckets(kind, path) && within(inside).some((one) => 'bucket_sort' in one || 'bucket_selector' in one);

/** A sort by a value that OpenSearch estimates and we interpolate. */
const isByPercentile = (order: unknown): boolean => JSON.stringify(order ?? '').includes('[');

/** Distance ranges that are not in ascending order, which OpenSearch counts incorrectly. */
const isOutOfOrder = (ranges: unknown): boolean => {
  const starts = ((Array.isArray(ranges) ? ranges : []) as Plain[]).map(({ from }) => Number(from ?? 0));
  return starts.some((start, index) => index > 0 && start < starts[index - 1]!);
};
