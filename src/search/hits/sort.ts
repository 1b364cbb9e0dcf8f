import { illegalArgument, parsing, xContent } from '../search-failure.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { kindOf, oneOf, type Read, scalar, scalarText, string } from '../syntax/value.js';

/** Selects the value by which a record with several is sorted. */
export type SortMode = 'min' | 'max' | 'avg' | 'sum' | 'median';

/** A parsed sort key. */
export interface SortKey {
  readonly at: Input;
  readonly field: string;
  readonly descending: boolean;
  /** `_first`, `_last`, or the default for records without a value. */
  readonly missing?: Input;
  readonly mode?: SortMode;
  /** Assumed type of a field that no record has. */
  readonly unmappedType?: string;
  /** Type to which numbers are converted. */
  readonly numericType?: 'long' | 'double' | 'date' | 'date_nanos';
}

const modes = oneOf<SortMode>('min', 'max', 'avg', 'sum', 'median');

const numericTypes = ['long', 'double', 'date', 'date_nanos'] as const;

const numericType: Read<(typeof numericTypes)[number]> = (input) => {
  const name = string(input);
  const found = numericTypes.find((type) => type === name.toLowerCase());
  if (found === undefined)
    throw illegalArgument(`invalid value for [numeric_type], must be [${numericTypes.join(', ')}], got ${name}`, input);
  return found;
};

/** Parses a sort: a name, an object of names, or an array of either. */
export const parseSort = (input: Input): SortKey[] => {
  const alone = scalarText(input);
  return alone === undefined ? input.items().flatMap(keysOf) : [plain(alone, input)];
};

const keysOf = (input: Input): SortKey[] => {
  if (input.node.kind === 'string') return [plain(input.node.text, input)];
  if (!input.isObject)
    throw illegalArgument('malformed sort format, either start with array, object, or an actual string', input);
  return input
    .members()
    .map(({ key, input: at }) =>
      at.node.kind === 'string'
        ? { at, field: key, descending: isDescending(at.node.text, at) }
        : detailed(key, only(at)),
    );
};

/** Returns the options of a key, which may be in an array. */
const only = (at: Input): Input => {
  const [options = at] = at.items();
  if (!options.isObject) throw xContent(`[field_sort] Expected START_OBJECT but was: ${kindOf(options)}`, options);
  return options;
};

const plain = (name: string, at: Input): SortKey => ({ at, field: name, descending: name === '_score' });

const detailed = (field: string, at: Input): SortKey => {
  const options = object('field_sort', {
    order: string,
    missing: scalar,
    mode: modes,
    unmapped_type: string,
    numeric_type: numericType,
    nested: refuseNested,
  })(at);
  const missing = options.missing?.isNull ? undefined : options.missing;
  return {
    at,
    field,
    descending: options.order === undefined ? field === '_score' : isDescending(options.order, at),
    ...(missing && { missing }),
    ...(options.mode && { mode: options.mode }),
    ...(options.unmapped_type !== undefined && { unmappedType: options.unmapped_type }),
    ...(options.numeric_type && { numericType: options.numeric_type }),
  };
};

function refuseNested(at: Input): never {
  throw parsing('[nested] failed to find nested object under path', at);
}

const isDescending = (order: string, at: Input): boolean => {
  const direction = order.toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') throw illegalArgument(`Unknown SortOrder [${order}]`, at);
  return direction === 'desc';
};
