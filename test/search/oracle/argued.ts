import { innermost, type Plain, within } from './plain.js';

// What docs/search.md argues, each as narrow as it can be told from two answers and the body.

/** Whether a body asks for what the two sides answer differently by design. */
export const isArguedBody = (body: Plain): boolean => shiftsNumbers(body) || hasSeconds(body);

/** Numbers of moments, also as texts, beside a zone: the engine shifts them by it. Numbers that bound a histogram it does not. */
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

/** Numbers for moments that are seconds by their size, and milliseconds to the engine. */
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

const isDigits = (value: unknown): boolean => typeof value === 'string' && /^-?\d{5,}$/.test(value);

/** Whether two answers of which one or both are errors differ for a reason that is argued. */
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
  [isOverflow, isBracket, isPartOfExpression].some((is) => is(reasonOf(ours)));

/** What stands beside `match_none` in a `bool` that needs it: the engine does not look at it. */
const isNeverLookedAt = (body: Plain, theirs: Plain): boolean =>
  theirs['error'] === undefined &&
  within(body).some((one) => {
    const { must = [], filter = [] } = (one['bool'] ?? {}) as Plain;
    return [must, filter].flat().some((clause) => clause !== null && Object.keys(clause as Plain)[0] === 'match_none');
  });

/** One text over fields of several types: each side names the fault of the field that it comes to first. */
const isOfAnotherField = (body: Plain, ours: Plain, theirs: Plain): boolean =>
  within(body).some((one) => 'query_string' in one) &&
  [ours, theirs].every(
    ({ error }) =>
      error !== undefined && /^(?:number_format|date_time_parse)_/.test(String(innermost(error as Plain)['type'])),
  );

/** Buckets of terms that are not shown: the engine counts those inside them as made. */
const isCutLate = (body: Plain, ours: Plain, theirs: Plain): boolean =>
  ours['error'] === undefined &&
  innermost(theirs['error'] as Plain)['type'] === 'too_many_buckets_exception' &&
  within(body).some((one) => 'terms' in one || 'multi_terms' in one);

/** A `missing` beside a `format` that cannot read it: the engine fails at it. */
const isFormattedStandIn = (theirs: Plain): boolean =>
  theirs['status'] === 500 && reasonOf(theirs).startsWith('Unparseable number: ');

/** What a source of `composite` takes here; aggregations of these names know both there too. */
const isOwnKey = (theirs: Plain): boolean =>
  /\[(?:terms|histogram|date_histogram)\] unknown field \[(?:missing|format)\]/.test(reasonOf(theirs));

/** A distance with one end that is a text: the engine reads the other as a text too, which there is none of. */
const isHalfText = (body: Plain, theirs: Plain): boolean =>
  theirs['error'] !== undefined &&
  innermost(theirs['error'] as Plain)['type'] === 'null_pointer_exception' &&
  within(body).some(({ geo_distance: distances }) =>
    within((distances as Plain | undefined)?.['ranges']).some(
      ({ from, to }) => (typeof from === 'string') !== (typeof to === 'string'),
    ),
  );

/** `top_hits` of none, which the engine refuses when it comes to the first record. */
const isOfNoHits = (ours: Plain, theirs: Plain): boolean =>
  theirs['error'] === undefined && reasonOf(ours).startsWith('numHits must be > 0');

const reasonOf = (answer: Plain): string =>
  answer['error'] === undefined ? '' : String(innermost(answer['error'] as Plain)['reason']);

/** Faults in the engine's own code, where there is an answer to give. */
const isOwnFault = (ours: Plain, theirs: Plain): boolean =>
  (theirs['status'] === 500 || (theirs['error'] !== undefined && ours['error'] !== undefined)) &&
  /^(?:null_pointer|class_cast|no_such_element|array_index|(?:string_)?index_out_of_bounds|illegal_state)/.test(
    String(innermost(theirs['error'] as Plain)['type']),
  );

/** A key of a query that is `null` is as if it did not come, where the engine refuses it. */
const isLeftOut = (body: Plain, theirs: Plain): boolean =>
  Object.values(body).includes(null) && reasonOf(theirs).startsWith('Unknown key for a VALUE_NULL in [');

/** A whole number beyond a long, or the end of a long, that sorts in the place of none: there it begins again at the other end. */
export const isBeyondLong = (ours: unknown, theirs: unknown): boolean =>
  (typeof ours === 'number' || typeof ours === 'string') &&
  Math.abs(Number(ours)) >= 2 ** 63 &&
  typeof theirs === 'string';

/** Sums beyond what a double or a long holds. */
const isOverflow = (reason: string): boolean => /out of range: (?:over|under)flow|^bigint out of range/.test(reason);

/** An array or an object in the place of one value, whose bracket the engine reads as the value. */
const isBracket = (reason: string): boolean =>
  /^\[(?:term|terms|range)\] query does not support \[START_(?:ARRAY|OBJECT)\]$/.test(reason);

/** `~` and `&` inside a regular expression. */
const isPartOfExpression = (reason: string): boolean =>
  /of a part of an expression are not supported in regular expression/.test(reason);

/** Whether the answers of an aggregation cannot be held against each other. */
export const isArguedAggregation = (kind: string, options: Plain, path: string): boolean =>
  isByPercentile(options['order']) ||
  (kind === 'geo_distance' && isOutOfOrder(options['ranges'])) ||
  countsTwice(kind, options) ||
  // Below what it counts exactly the engine estimates; 300 records have no more than 1,000 values.
  (kind === 'cardinality' && Number(options['precision_threshold'] ?? 3000) < 1000) ||
  (path.includes('(auto_date_histogram)') &&
    (cutsBuckets(kind, options) || isTurned(kind, options) || isShiftedTwice(kind, options)));

/** Whether buckets are sorted by what cannot be held against each other. */
export const sortsByArgued = ({ order }: Plain, inside: Plain): boolean =>
  within(order).some((keys) => Object.keys(keys).some((path) => leadsToArgued(path.split('>'), inside, 'terms')));

/** Whether a pipeline reads what cannot be held against each other: its path leads there, or there are buckets with one key. */
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
    (pipeline.endsWith('_bucket') && hasOneKeyTwice(options as Plain)) ||
    leadsToArgued(rest, (one['aggs'] ?? one['aggregations'] ?? {}) as Plain, pipeline)
  );
};

/** `keyed` buckets of which several have one key: ranges alike, or a histogram in a format that need not tell them apart. */
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
 * Numbers in another order than from the lowest on. Merging its buckets, the engine turns those from the highest on around once
 * more, and of those by count it shows some twice.
 */
const isTurned = (kind: string, options: Plain): boolean =>
  kind.endsWith('histogram') && /"desc"|"_count"/.test(JSON.stringify(options['order'] ?? ''));

/** A shifted histogram: merging its buckets, the engine shifts the empty ones between them once more, off their own grid. */
const isShiftedTwice = (kind: string, options: Plain): boolean => kind.endsWith('histogram') && 'offset' in options;

/** What leaves buckets out, or reads them: inside `auto_date_histogram` the engine does so in narrower stretches first. */
const cutsBuckets = (kind: string, options: Plain): boolean =>
  kind === 'rare_terms' || kind.endsWith('_bucket') || 'size' in options || 'min_doc_count' in options;

/** Numbers that a record has several of: by `rare_terms` and `composite` the engine counts it once for each. */
const countsTwice = (kind: string, options: Plain): boolean => {
  if (kind === 'rare_terms') return several.test(String(options['field']));
  if (kind !== 'composite') return false;
  return within(options['sources']).some(({ field }) => several.test(String(field)));
};

const several = /^data\.(?:t|n|big|on|x)$/;

/** Whether what stands inside buckets is, in the engine, of other buckets than of those it stands in. */
export const mixesBuckets = (kind: string, path: string): boolean => kind === 'rare_terms' && path.includes('(');

/** Whether buckets are sorted or left out by what is of other buckets. */
export const sortsMixed = (kind: string, path: string, inside: Plain): boolean =>
  mixesBuckets(kind, path) && within(inside).some((one) => 'bucket_sort' in one || 'bucket_selector' in one);

/** An order by what is estimated there and interpolated here. */
const isByPercentile = (order: unknown): boolean => JSON.stringify(order ?? '').includes('[');

/** Distances that do not come in the order of where they begin, which the engine then counts wrongly. */
const isOutOfOrder = (ranges: unknown): boolean => {
  const starts = ((Array.isArray(ranges) ? ranges : []) as Plain[]).map(({ from }) => Number(from ?? 0));
  return starts.some((start, index) => index > 0 && start < starts[index - 1]!);
};
