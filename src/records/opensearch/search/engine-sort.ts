import type { BoundKey } from '#search/hits/bound-sort.js';
import type { Cursor } from '#search/hits/search-after.js';
import type { Value } from '#search/query/predicate.js';
import { illegalArgument } from '#search/search-failure.js';
import type { Part } from '../engine.js';
import type { EngineFields } from './engine-field.js';
import { microsOf } from './predicate.js';

/** Descending order of time, then of storing. */
export const newestFirst: readonly Part[] = [{ us: 'desc' }, { seq: 'desc' }];

/** The storing order breaks ties. */
const byStoring: Part = { seq: 'asc' };

/** Translates a sort to the engine's form; its keys must not be current values of devices. */
export const orderOfKeys = (keys: readonly BoundKey[], fields: EngineFields): readonly Part[] =>
  keys.length === 0 ? newestFirst : [...keys.map((key) => orderOfKey(key, fields)), byStoring];

const orderOfKey = (key: BoundKey, fields: EngineFields): Part => {
  const { field, kind, type, descending, mode, missing, missingFirst } = key;
  if (field.ofDevice)
    throw illegalArgument(`[${field.path}] can only be the first key of a sort of hits where records are on a cluster`);
  const order = descending ? 'desc' : 'asc';
  if (type === 'timestamp') return { us: { order } };
  const name = fields.nameOf(field);
  if (name === '_id') return { _id: { order } };
  if (field.always) return { [name]: { order } };
  const isCast = kind !== 'keyword' && kind !== field.kind;
  const numericType = isRounded(key) || (isCast && kind !== 'double') ? 'long' : isCast ? 'double' : undefined;
  return {
    [name]: {
      order,
      ...(field.multi && { mode }),
      missing: missing ?? (missingFirst ? '_first' : '_last'),
      unmapped_type: type === 'text' ? 'keyword' : field.valueType === 'long' ? 'long' : 'double',
      ...(numericType && { numeric_type: numericType }),
    },
  };
};

/** Whether a mean of whole numbers is rounded before the comparison. The engine's doubles are not rounded. */
const isRounded = ({ field, kind, type, mode }: BoundKey): boolean =>
  field.multi && type === 'double' && kind !== 'double' && (mode === 'avg' || mode === 'median');

/** Ends of the range of a long; they stand for missing values of rounded numbers. */
const [smallest, largest] = ['-9223372036854775808', '9223372036854775807'];

/** Upper end of the storing order: records that equal a cursor in all keys are not returned again. */
const afterAll = largest;

/** Translates a cursor to the engine's form. */
export const engineCursor = (keys: readonly BoundKey[], cursor: Cursor): unknown[] => [
  ...keys.map((key, index) => cursorValue(key, cursor[index]!)),
  afterAll,
];

const cursorValue = (key: BoundKey, value: Value | null): unknown => {
  const { type } = key;
  if (value === null || type === 'text') return value;
  if (isRounded(key) && Math.abs(Number(value)) === Infinity) return Number(value) > 0 ? largest : smallest;
  if (type !== 'timestamp') return `${value}`;
  // Beyond JavaScript's dates, all records lie on one side.
  if (value === 'infinity') return afterAll;
  return value === '-infinity' ? `-${afterAll}` : microsOf(value);
};

/** Converts a sort value to the form of the stores: times in seconds, whole numbers beyond 2^53 as text. */
export const sortValueOf = (key: BoundKey, value: unknown): unknown => {
  const { type } = key;
  if (value === null || value === undefined) return null;
  if (isRounded(key) && typeof value === 'bigint') return value > 0n ? Infinity : -Infinity;
  if (typeof value === 'bigint') return `${value}`;
  return type === 'timestamp' ? Number(value) / 1e6 : value;
};
