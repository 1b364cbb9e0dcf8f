import { innermost, type Plain, within } from './plain.js';

/** A query with both answers, and where they differ. */
export interface Compared {
  readonly body: Plain;
  readonly ours: Plain;
  readonly theirs: Plain;
  readonly different: readonly string[];
  /** Why the answers are not compared. */
  readonly skipped?: 'argued' | 'no answer';
}

/** Asks both sides. */
export type Ask = (bodies: readonly Plain[]) => Promise<Compared[]>;

/** Returns the query without one of its parts, for each part, the largest first. */
const lessOf = (body: Plain): Plain[] => {
  const parts: { size: number; without: () => Plain }[] = [];
  const walk = (value: unknown, rebuild: (inner: unknown) => Plain): void => {
    if (value === null || typeof value !== 'object') return;
    const list = Array.isArray(value) ? (value as unknown[]) : undefined;
    for (const [key, inner] of Object.entries(value)) {
      const put = (instead: unknown) =>
        list ? list.with(Number(key), instead) : { ...(value as Plain), [key]: instead };
      const left = list
        ? list.toSpliced(Number(key), 1)
        : Object.fromEntries(Object.entries(value).filter(([own]) => own !== key));
      parts.push({ size: JSON.stringify(inner).length, without: () => rebuild(left) });
      walk(inner, (instead) => rebuild(put(instead)));
      // Puts an inner object in place of the outer one, such as a clause in place of its `bool`.
      if (isObject(inner))
        for (const part of Object.values(inner))
          if (isObject(part) || Array.isArray(part))
            parts.push({
              size: JSON.stringify(inner).length - JSON.stringify(part).length,
              without: () => rebuild(put(Array.isArray(part) ? part[0] : part)),
            });
    }
  };
  walk(body, (inner) => inner as Plain);
  return parts.toSorted((a, b) => b.size - a.size).map(({ without }) => without());
};

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the kind of difference, without values and positions. */
export const signature = ({ different: [first = ''] }: Compared): string =>
  first.startsWith('error')
    ? first.replaceAll(/\[[^\]]*\]|"[^"]*"|\d+:\d+|found :.*/gs, '').slice(0, 200)
    : first.replace(/: ours .*$/s, '').replaceAll(/[^.(]*\d[^.(]*/g, '#');

/** Returns the smallest query found that differs in the same way. */
export const shrunk = async (compared: Compared, ask: Ask): Promise<Compared> => {
  const kind = signature(compared);
  let smallest = compared;
  for (let round = 0; round < 30; round += 1) {
    const found = await first(lessOf(smallest.body), ask, (less) => signature(less) === kind);
    if (found === undefined) break;
    smallest = found;
  }
  return smallest;
};

const first = async (
  bodies: readonly Plain[],
  ask: Ask,
  is: (compared: Compared) => boolean,
): Promise<Compared | undefined> => {
  for (let from = 0; from < bodies.length; from += 20) {
    const found = (await ask(bodies.slice(from, from + 20))).find(is);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Whether errors differ because the query has two errors and each side reports another one first, or has one where
 * OpenSearch does not look. Without one part, both report the same error, which one of them reported before.
 */
export const hasTwoFaults = async ({ body, ours, theirs }: Compared, ask: Ask): Promise<boolean> => {
  if (ours['error'] === undefined) return false;
  if (
    (await first(withoutNegatives(body), ask, (less) => less.different.length === 0 && !less.ours['error'])) !==
    undefined
  )
    return true;
  const named = [reason(ours), reason(theirs)];
  return (
    (await first(
      [withoutPipelines(body) as Plain, ...withoutNegatives(body), ...lessOf(body)],
      ask,
      (less) =>
        less.different.length === 0 &&
        less.ours['error'] !== undefined &&
        less.theirs['error'] !== undefined &&
        (named[0] === reason(less.ours) || named[1] === reason(less.theirs)),
    )) !== undefined
  );
};

/** Returns a query without pipeline aggregations, whose errors OpenSearch reports first. */
const withoutPipelines = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPipelines);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => !isObject(inner) || !Object.keys(inner).some(isPipeline));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPipelines(inner)]));
};

const isPipeline = (kind: string): boolean =>
  /^(?:\w+_bucket|derivative|cumulative_sum|serial_diff|bucket_sort)$/.test(kind);

/**
 * Returns the queries in which one `negative` of a `boosting` is replaced by a harmless one. It only changes scores,
 * and either side may skip it.
 */
const withoutNegatives = (body: Plain): Plain[] =>
  within(body).flatMap((_, index) => {
    const copy = structuredClone(body);
    const clause = within(copy)[index]!['boosting'] as Plain | undefined;
    if (clause?.['negative'] === undefined) return [];
    clause['negative'] = { match_none: {} };
    return [copy];
  });

const reason = (answer: Plain): string => {
  if (answer['error'] === undefined) return 'an answer';
  const { type, reason: text } = innermost(answer['error'] as Plain);
  return `${type as string} ${text as string}`.replaceAll(/\d+:\d+/g, '');
};
