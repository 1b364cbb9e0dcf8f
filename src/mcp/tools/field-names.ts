import { z } from 'zod';

/** The parts of a search that name fields. */
interface Parts {
  readonly query?: unknown;
  readonly aggs?: unknown;
  readonly sort?: readonly unknown[] | undefined;
  readonly fields?: readonly string[] | undefined;
}

/** The answer to {@link occurrencesOf}. */
interface Occurring {
  readonly aggregations?: { readonly [name: string]: unknown };
}

/** Maximum number of names that are looked up. */
const mostNames = 50;

/** Clauses that have the name of a field as their key. */
const clauses = new Set(
  'term terms range match match_phrase match_phrase_prefix match_bool_prefix prefix wildcard regexp fuzzy geo_distance geo_bounding_box geo_polygon'.split(
    ' ',
  ),
);

/** Keys beside the name of a field in a clause. */
const options = new Set('boost _name distance distance_type validation_method ignore_unmapped'.split(' '));

/** Fields that each record or device may have. Others lie in `data` and `metadata`. */
const ownNames = /^(?:_.*|id|ts|cursor|(?:device|product|frame)(?:\..*)?|data|metadata)$/;

/** Whether a name is that of a field which devices send. */
export const isStored = (name: string): boolean => /^(?:data|metadata)\../.test(name);

/** Returns the names of fields in a search, each once. Patterns with `*` are left out. */
export function namesIn({ query, aggs, sort = [], fields = [] }: Parts): string[] {
  const names = new Set<string>();
  const add = (name: string) => {
    if (names.size < mostNames && !name.includes('*') && !ownNames.test(name)) names.add(name);
  };
  for (const each of fields) add(each);
  for (const each of sort) (typeof each === 'string' ? [each] : Object.keys(each as object)).forEach(add);
  // A walk without recursion: a caller may nest deeply.
  const left: unknown[] = [query, aggs];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'field' && typeof inner === 'string') add(inner);
      // The aggregations `terms` and `range` have these keys too, and name their field in `field`.
      if (clauses.has(key) && isObject(inner) && !('field' in inner))
        for (const name of Object.keys(inner)) if (!options.has(name)) add(name);
      left.push(inner);
    }
  }
  return [...names];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a search that counts the records which have each of the fields. */
export const occurrencesOf = (names: readonly string[]): object => ({
  aggs: Object.fromEntries(names.map((field, index) => [`f${index}`, { filter: { exists: { field } } }])),
});

/**
 * Returns the names of fields that no record has, by the answer to {@link occurrencesOf}. A name that lies in neither
 * `data` nor `metadata` is unknown; without an answer, the others count as known.
 */
export function unknownAmong(names: readonly string[], occurring: Occurring | undefined): string[] {
  const asked = names.filter(isStored);
  const counts = occurring?.aggregations;
  const isMissing = (name: string) =>
    counts !== undefined && (counts[`f${asked.indexOf(name)}`] as { doc_count?: number } | undefined)?.doc_count === 0;
  return names.filter((name) => !isStored(name) || isMissing(name));
}

/** Describes the names of variables in a call that lead to nothing. */
export const unknownVariables = (what: string) =>
  z
    .array(z.string())
    .optional()
    .describe(
      `Names in \`variables\` that ${what}. Names match whole, without \`data.\`: \`temp\` is not \`temperature\`.`,
    );
