import { VariableType } from '#entities/enums.js';
import { keysOfPath } from '#json/key-path.js';
import type { Field } from '#search/field/field.js';
import { fieldsOf, type Predicate } from '#search/query/predicate.js';
import type { BlockPaths } from './block-path.js';
import type { ReadKeys, ReadPart } from './json-part.js';
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
  /** Leaves that are read from their columns, and those that are read from JSON. */
  readonly leaves: readonly Leaf[];
  readonly inJson: readonly Leaf[];
  /** Parts that are read as JSON: lists, and what has no column of its own. */
  readonly json: ReadonlyMap<ReadPart, ReadKeys>;
}

/** Maximum number of columns of leaves: PostgreSQL plans two joins for each. Beyond it, all are read from JSON. */
const maxColumns = 50;

/** Returns what a statement reads of the records in blocks. */
export const blockNeed = (fields: readonly Field[], predicates: readonly Predicate[], paths: BlockPaths): BlockNeed => {
  const all = [...fields, ...predicates.flatMap(fieldsOf)];
  const every = [...new Set(all.flatMap(leavesOf))];
  const leaves = every.length > maxColumns ? [] : every.filter((leaf) => isInColumns(leaf, paths));
  const inJson = every.filter((leaf) => !leaves.includes(leaf));
  const id = all.some(({ path }) => path === '_id');
  return {
    numbers: slotsOf(all, false),
    texts: slotsOf(all, true),
    leaves,
    inJson,
    id,
    seq: id || all.some(({ path }) => path === '_doc'),
    time: id || all.some(({ path }) => path === 'ts'),
    device: all.some(({ path, ofDevice }) => ofDevice || path === 'device.id'),
    json: jsonOf([
      ...predicates.flatMap(rootsUnder).map((root) => ({ part: root, keys: 'shape' as const })),
      ...inJson.map(({ root, keys }) => ({ part: root, keys: keys.map(([key]) => key!) })),
      ...all.filter((field) => leavesOf(field).length === 0).flatMap(jsonOfField),
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

/** Keys of a part that are read as JSON. */
interface JsonNeed {
  readonly part: ReadPart;
  readonly keys: readonly string[] | 'shape';
}

const jsonOf = (needs: readonly JsonNeed[]): ReadonlyMap<ReadPart, ReadKeys> =>
  new Map([...Map.groupBy(needs, ({ part }) => part)].map(([part, some]) => [part, keysOf(some)]));

const keysOf = (needs: readonly JsonNeed[]): ReadKeys => {
  const lists = needs.flatMap(({ keys }) => (keys === 'shape' ? [] : [keys]));
  if (lists.length === 0) return 'shape';
  return lists.length < needs.length ? 'all' : [...new Set(lists.flat())];
};

/** Returns what a field that has no leaves reads as JSON. */
const jsonOfField = ({ origin, multi, valueType }: Field): JsonNeed[] => {
  if (origin.kind === 'undeclared') return [{ part: origin.root, keys: origin.keys.map(([key]) => key!) }];
  if (origin.kind !== 'declared') return [];
  const { name } = origin.variables[0]!;
  const isExact = valueType === 'long' && origin.variables.some(({ type }) => type === VariableType.INT64);
  return [
    ...(multi ? [{ part: 'many' as const, keys: [name] }] : []),
    ...(isExact || !origin.complete
      ? [{ part: 'data' as const, keys: [name, ...keysOfPath(name).map(([key]) => key!)] }]
      : []),
  ];
};

/** Returns the parts of records whose fields a predicate does not know. */
const rootsUnder = (predicate: Predicate): ('data' | 'metadata')[] => {
  if (predicate.kind === 'existsUnder') return [predicate.root];
  return 'of' in predicate ? [predicate.of].flat().flatMap(rootsUnder) : [];
};
