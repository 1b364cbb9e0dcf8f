import type { PlainJson } from '#json/json.js';
import { decimalFormatOf } from '../aggregation/decimal-format.js';
import { requireFormattable } from '../aggregation/format.js';
import { type DateFormat, dateFormatOf, defaultDateFormat } from '../date/date-format.js';
import { utc } from '../date/zone.js';
import type { Field, FieldKind, Fields } from '../field/field.js';
import { illegalArgument, parsing, xContent } from '../search-failure.js';
import { globOf } from '../syntax/glob.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { flag, kindOf, objectsOf, optionalString, scalarText, string, text } from '../syntax/value.js';

/** A path, or a pattern with `*`, whose values a hit shows beside its source. */
export interface ShownFieldRequest {
  readonly name: string;
  readonly format?: Input;
  /** Whether values come in indexed form: sorted, each text once. */
  readonly indexed: boolean;
}

/** A shown field, bound to the formats of its values. */
export interface ShownField {
  matches(path: string): boolean;
  readonly indexed: boolean;
  /** Returns the type of a path; undefined if it has none. */
  kindOf(path: string): FieldKind | undefined;
  /** Returns the format of times. */
  dates(): DateFormat;
  /**
   * Returns the format of numbers, or undefined to show them unchanged. Throws if the format does not fit one of the
   * fields.
   */
  numbers(): ((value: number | bigint) => string) | undefined;
}

/** Parses `fields` or `docvalue_fields`: names, or objects of a name and a format. */
export const parseShownFields = (input: Input, indexed: boolean): ShownFieldRequest[] => {
  const nested = input.items().find(({ isArray }) => isArray);
  if (nested?.items()[0]?.isObject) throw parsing(`Unknown key for a END_ARRAY in [${input.key}].`, nested);
  if (nested !== undefined) throw xContent('[docvalues_field] Expected START_OBJECT but was: START_ARRAY', nested);
  return objectsOf((item): ShownFieldRequest => {
    if (isName(item)) return { name: text(item), indexed };
    if (!item.isObject) throw xContent(`[docvalues_field] Expected START_OBJECT but was: ${kindOf(item)}`, item);
    const { field } = object('docvalues_field', { field: string, format: optionalString, include_unmapped: flag })(
      item,
    );
    if (field === undefined) throw illegalArgument('Required [field]', item);
    const format = item.get('format');
    const isOwn = format === undefined || format.isNull || (indexed && scalarText(format) === 'use_field_mapping');
    return { name: field, indexed, ...(!isOwn && { format }) };
  }, isName)(input);
};

const isName = (item: Input) => scalarText(item) !== undefined;

/** Binds shown fields to existing fields. A format is only checked once there is a hit to show, as in the engines. */
export const bindShownFields = (requests: readonly ShownFieldRequest[], fields: Fields): ShownField[] =>
  requests.map(({ name, format, indexed }) => {
    const matches = globOf(name);
    const kindOf = (path: string) => fields.kindOf(path);
    if (format === undefined)
      return { matches, indexed, kindOf, dates: () => defaultDateFormat, numbers: () => undefined };
    const found = () => (name.includes('*') ? fields.matching(name) : (fields.find(name) ?? []));
    return {
      matches,
      indexed,
      kindOf,
      dates: once(() => dateFormatOf(text(format), format)),
      numbers: once(() => numbersIn(format, [found()].flat(), indexed)),
    };
  });

const numbersIn = (format: Input, found: readonly Field[], indexed: boolean): ReturnType<ShownField['numbers']> => {
  for (const field of found) {
    const { path, kind } = field;
    if (kind === 'date' || path === '_doc') continue;
    if (!indexed) throw illegalArgument(`Field [${path}] of type [${kind}] doesn't support formats.`, format);
    requireFormattable(field, format);
  }
  return indexed && found.some(({ kind }) => kind !== 'date') ? decimalFormatOf(text(format), format) : undefined;
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

/**
 * Creates the function that extracts the values of fields from a source, each as an array, in the types of the fields.
 * If some values of a path are `ignored`, it extracts only those of its indexed values that fit, and none in other
 * forms, as the engines do. It returns undefined if no values are requested or found.
 */
export const shownFields =
  (fields: readonly ShownField[]) =>
  (
    source: { [key: string]: PlainJson },
    millis: number,
    ignored: readonly string[],
  ): { [path: string]: unknown[] } | undefined => {
    if (fields.length === 0) return undefined;
    const leaves = leavesOf(source);
    const found: { [path: string]: unknown[] } = {};
    const asIndexed = new Set<string>();
    for (const { matches, dates, numbers, kindOf, indexed } of fields) {
      const print = numbers();
      // A wrong format is an error even if an earlier field determines the format.
      if (matches('ts')) dates();
      for (const [path, all] of leaves) {
        if (!matches(path) || (found[path] !== undefined && !(indexed && asIndexed.has(path)))) continue;
        const isIgnored = ignored.includes(path);
        if (isIgnored && !indexed) continue;
        const kind = kindOf(path);
        const values = all.flatMap((value) => typed(kind, value, indexed) ?? (isIgnored ? [] : [value]));
        if (values.length === 0) continue;
        const shown = indexed ? inOrder(values, kind) : values;
        const picked =
          path === 'ts'
            ? [dates().print(Math.floor(millis), utc)]
            : print === undefined
              ? shown
              : shown.map((value) => print(exact(value)));
        // The engines repeat values in indexed form if they are requested twice.
        found[path] = [...(found[path] ?? []), ...picked];
        if (indexed) asIndexed.add(path);
      }
    }
    return Object.keys(found).length === 0 ? undefined : found;
  };

/** Converts a value to the type of its field. Returns undefined if it does not fit, and for a time. */
const typed = (kind: FieldKind | undefined, value: PlainJson, indexed: boolean): PlainJson | undefined => {
  if (kind === 'geo_point') return place(value as { lat: number; lon: number }, indexed);
  if (typeof value === 'object') return undefined;
  if (kind === 'keyword') return String(value);
  if (kind === 'boolean') return booleans.get(value);
  if ((kind !== 'double' && kind !== 'long') || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return value;
  const number = decimal.test(value) ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return undefined;
  // A whole number beyond what a double distinguishes stays text, as in sort values.
  return kind === 'long' && !Number.isSafeInteger(number) ? value : number;
};

const booleans = new Map<PlainJson, boolean>([
  ...[true, 'true', 1, '1'].map((value) => [value, true] as const),
  ...[false, 'false', 0, '0'].map((value) => [value, false] as const),
]);

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/** Writes a location in the engines' forms: text if indexed, else GeoJSON. */
const place = ({ lat, lon }: { lat: number; lon: number }, indexed: boolean): PlainJson =>
  indexed ? `${lat}, ${lon}` : { type: 'Point', coordinates: [lon, lat] };

/** Sorts numbers and booleans, and texts by their bytes without duplicates. */
const inOrder = (values: readonly unknown[], kind: FieldKind | undefined): unknown[] =>
  kind === 'keyword'
    ? [...new Set(values.map(String))].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : values.toSorted((a, b) => (exact(a) < exact(b) ? -1 : exact(a) > exact(b) ? 1 : 0));

/** Converts a value to a comparable number. A text is a whole number beyond what a double distinguishes. */
const exact = (value: unknown): number | bigint =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : Number(value);

/** Returns the values of a source by path. Arrays are several values, and so are those of objects inside. */
const leavesOf = (source: PlainJson): ReadonlyMap<string, readonly PlainJson[]> => {
  const leaves = new Map<string, PlainJson[]>();
  const visit = (value: PlainJson, path: string): void => {
    if (value === null) return;
    if (Array.isArray(value)) for (const item of value) visit(item, path);
    else if (typeof value === 'object' && path !== 'device.location')
      for (const [key, inner] of Object.entries(value)) visit(inner, path === '' ? key : `${path}.${key}`);
    else if (leaves.has(path)) leaves.get(path)!.push(value);
    else leaves.set(path, [value]);
  };
  visit(source, '');
  const product = leaves.get('device.product.id');
  return product === undefined ? leaves : leaves.set('product.id', product);
};
