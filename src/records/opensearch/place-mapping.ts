/**
 * Maximum length of a searchable text. Longer texts are shown but not searchable. UTF-16 units, of at most three bytes
 * each.
 */
const longestKeyword = 8191;

/** Mappings of the places of each family: numbers, whole numbers beyond 2^53, and texts. */
export const placeMappings = {
  n: { type: 'double' },
  l: { type: 'long' },
  k: { type: 'keyword', ignore_above: longestKeyword },
} as const;

type Family = keyof typeof placeMappings;

/** Numbers of places by family. Places are counted from 1, such as `n1`. Organizations share them. */
export type PlaceCounts = Readonly<Record<Family, number>>;

export const noPlaces: PlaceCounts = { n: 0, l: 0, k: 0 };

/** Places are mapped in steps of this many, so that a new name rarely changes the mappings of all indices. */
const step = 50;

const combined = (combine: (family: Family) => number): PlaceCounts => ({
  n: combine('n'),
  l: combine('l'),
  k: combine('k'),
});

/** Returns the larger number of each family. */
export const most = (one: PlaceCounts, other: PlaceCounts): PlaceCounts =>
  combined((family) => Math.max(one[family], other[family]));

/** Rounds up to whole steps, at least one. */
export const wholeSteps = (counts: PlaceCounts): PlaceCounts =>
  combined((family) => Math.max(1, Math.ceil(counts[family] / step)) * step);

/** Whether one has at least as many places of each family as another. */
export const covers = (one: PlaceCounts, other: PlaceCounts): boolean =>
  (Object.keys(placeMappings) as Family[]).every((family) => one[family] >= other[family]);

/** Returns the mappings of this many places. */
export const placeProperties = (counts: PlaceCounts): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(placeMappings).flatMap(([family, mapping]) =>
      Array.from({ length: counts[family as Family] }, (_, index) => [`${family}${index + 1}`, mapping]),
    ),
  );
