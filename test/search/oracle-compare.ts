/** A JSON object. */
export type Plain = { [key: string]: unknown };

/** Where two answers to one body differ: ours is in the wrong unless docs/search.md argues it. */
export const differences = (body: Plain, ours: Plain, theirs: Plain): string[] => {
  // The engine's own faults are no answer to compare with.
  if (/NullPointerException|null_pointer_exception/.test(JSON.stringify(theirs['error'] ?? ''))) return [];
  const [mine, other] = [errorOf(ours), errorOf(theirs)];
  if (mine !== undefined || other !== undefined) {
    // Faults of a request that the engine answers with 500 are 400 here.
    return mine !== undefined && other !== undefined
      ? []
      : [
          `error: ours ${JSON.stringify(ours['error'])?.slice(0, 300)}, theirs ${JSON.stringify(theirs['error'])?.slice(0, 300)}`,
        ];
  }
  return [
    ...compareHits(body, ours['hits'] as Plain, theirs['hits'] as Plain),
    ...compare(ours['aggregations'], theirs['aggregations'], 'aggregations'),
  ];
};

const errorOf = (answer: Plain): unknown => answer['error'];

interface Hit {
  _source: { metadata: { number: number } };
  sort?: unknown[];
}

const compareHits = (body: Plain, ours: Plain, theirs: Plain): string[] => {
  const total = compare(ours['total'], theirs['total'], 'hits.total');
  const [mine, other] = [ours['hits'] as Hit[], theirs['hits'] as Hit[]];
  const numbers = (hits: Hit[]) => hits.map(({ _source }) => _source.metadata.number);
  if (body['sort'] === undefined) {
    const all = mine.length >= ((theirs['total'] as Plain)['value'] as number);
    return all ? [...total, ...compare(numbers(mine).sort(), numbers(other).sort(), 'hits')] : total;
  }
  const keys = (body['sort'] as Plain[]).map((key) => Object.keys(key)[0]);
  const sorts = (hits: Hit[], factor: number) =>
    hits.map(({ sort }) =>
      sort!.map((value, index) => (keys[index] === 'ts' ? (value as number) / factor : numeric(value))),
    );
  return [
    ...total,
    ...compare(numbers(mine), numbers(other), 'hits'),
    ...compare(sorts(mine, 1), sorts(other, 1000), 'sort'),
  ];
};

const numeric = (value: unknown): unknown =>
  typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value;

/** Compares values; numbers as far as a sum of doubles in another order is the same. */
const compare = (ours: unknown, theirs: unknown, path: string): string[] => {
  if (typeof ours === 'number' && typeof theirs === 'number') {
    const close = ours === theirs || Math.abs(ours - theirs) <= 1e-9 * Math.max(1, Math.abs(ours), Math.abs(theirs));
    return close ? [] : [`${path}: ours ${ours}, theirs ${theirs}`];
  }
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length)
      return [`${path}: ours ${JSON.stringify(ours).slice(0, 300)}, theirs ${JSON.stringify(theirs).slice(0, 300)}`];
    return ours.flatMap((item, index) => compare(item, theirs[index], `${path}.${index}`));
  }
  if (isObject(ours) && isObject(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    // Argued in docs/search.md: our counts are exact, and meta is what was sent.
    const compared = [...keys].filter((key) => !argued.test(key));
    return compared.flatMap((key) => compare(ours[key], theirs[key], `${path}.${key}`));
  }
  return Object.is(ours, theirs)
    ? []
    : [`${path}: ours ${JSON.stringify(ours)?.slice(0, 200)}, theirs ${JSON.stringify(theirs)?.slice(0, 200)}`];
};

/** Keys whose difference docs/search.md argues: error bounds of exact counts, empty meta, texts of what is no date. */
const argued = /^(?:doc_count_error_upper_bound|meta|(?:sum_of_squares|variance.*|std_deviation.*)_as_string)$/;

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
