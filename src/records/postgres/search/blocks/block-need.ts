import { VariableType } from '#entities/enums.js';
import { keysOfPath } from '#json/key-path.js';
import type { Field } from '#search/field/field.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import type { BlockPaths } from './block-path.js';
import type { JsonNeed, ReadPart } from './json-part.js';
import { type Leaf, leavesOf } from './leaf-field.js';
import { isInColumns } from './leaf-part.js';

/** Parts of a record that a statement reads, apart from its product. */
export interface BlockNeed {
  readonly time: boolean;
  readonly device: boolean;
  /** Slots of `numbers` and of `texts`, in ascending order. */
  readonly numbers: readonly number[];
  readonly texts: readonly number[];
  readonly seq: boolean;
  readonly id: boolean;
  /** Whether the records are shown: the block and the place in it, which counts from 1, are columns. */
  readonly place: boolean;
  /** Leaves that are read from their columns, and those that are read from JSON. */
  readonly leaves: readonly Leaf[];
  readonly inJson: readonly Leaf[];
  /** Parts that are read as JSON: lists, and what has no column of its own. */
  readonly json: ReadonlyMap<ReadPart, JsonNeed>;
}

/** Maximum number of leaves: PostgreSQL plans two joins for each, which takes seconds from some 60 on. */
const maxLeaves = 50;

/** Whether a statement reads too many leaves to read each from its columns. */
export const hasManyLeaves = (fields: readonly Field[], predicates: readonly Predicate[]): boolean =>
  new Set([...fields, ...predicates.flatMap(fieldsOf)].flatMap(leavesOf)).size > maxLeaves;

/**
 * Returns what a statement reads of the records in blocks. Too many leaves are all read from JSON.
 * @param isShown whether the statement's records are shown
 */
export const blockNeed = (
  fields: readonly Field[],
  predicates: readonly Predicate[],
  paths: BlockPaths,
  isShown = false,
): BlockNeed => {
  const all = [...fields, ...predicates.flatMap(fieldsOf)];
  const every = [...new Set(all.flatMap(leavesOf))];
  const leaves = hasManyLeaves(fields, predicates) ? [] : every.filter((leaf) => isInColumns(leaf, paths));
  const inJson = every.filter((leaf) => !leaves.includes(leaf));
  const id = all.some(({ path }) => path === '_id');
  return {
    numbers: slotsOf(all, false),
    texts: slotsOf(all, true),
    leaves,
    inJson,
    id,
    place: isShown,
    seq: isShown || id || all.some(({ path }) => path === '_doc'),
    time: isShown || id || all.some(({ path }) => path === 'ts'),
    device: isShown || all.some(({ path, ofDevice }) => ofDevice || path === 'device.id'),
    json: together([
      ...inJson.map(({ root, keys }) => needOf(root, keys)),
      ...leaves.flatMap(({ root, keys, isList }) => (isList ? [needOf(root, keys, true)] : [])),
      ...all.flatMap(needsOfField),
    ]),
  };
};

const slotsOf = (fields: readonly Field[], isText: boolean): number[] =>
  [
    ...new Set(
      fields.flatMap(({ origin, kind }) =>
        origin.kind === 'declared' && (kind === 'keyword') === isText
          ? origin.variables.flatMap(({ slot }) => slot ?? [])
          : [],
      ),
    ),
  ].sort((a, b) => a - b);

/** Need of one part of the records. */
interface PartNeed extends JsonNeed {
  readonly part: ReadPart;
}

/** @param keys lists of keys that lead to values */
const needOf = (part: ReadPart, keys: readonly (readonly string[])[], onlyLists = false): PartNeed => ({
  part,
  keys: keys.map(([key]) => key!),
  onlyLists,
});

/** @param keys lists of keys under which a predicate looks for values; none to look under all */
const needUnder = (part: ReadPart, keys: readonly (readonly string[])[]): PartNeed => ({
  part,
  keys: [],
  under: keys.length === 0 ? [''] : keys.map(([key]) => key!),
  onlyLists: false,
});

const together = (needs: readonly PartNeed[]): ReadonlyMap<ReadPart, JsonNeed> =>
  new Map(
    [...Map.groupBy(needs, ({ part }) => part)].map(([part, some]) => {
      const under = some.flatMap((one) => one.under ?? []);
      return [
        part,
        {
          keys: [...new Set(some.flatMap(({ keys }) => keys))],
          ...(under.length > 0 && { under }),
          onlyLists: some.every(({ onlyLists }) => onlyLists),
        },
      ];
    }),
  );

/** Returns what a field reads as JSON apart from leaves. */
const needsOfField = (field: Field): PartNeed[] => {
  const { origin, multi, valueType, path } = field;
  const isBare = leavesOf(field).length === 0;
  if (origin.kind === 'undeclared' && path === '') return [needUnder(origin.root, origin.keys)];
  if (origin.kind === 'undeclared') return isBare ? [needOf(origin.root, origin.keys)] : [];
  if (origin.kind !== 'declared') return [];
  const { name } = origin.variables[0]!;
  const isExact = valueType === 'long' && origin.variables.some(({ type }) => type === VariableType.INT64);
  return [
    ...(multi ? [needOf('many', [[name]], true)] : []),
    ...(isBare && (isExact || !origin.complete) ? [needOf('data', [[name], ...keysOfPath(name)])] : []),
  ];
};
