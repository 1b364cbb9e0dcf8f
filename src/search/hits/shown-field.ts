import type { PlainJson } from '#json/json.js';
import { decimalFormatOf } from '../aggregation/decimal-format.js';
import { requireFormattable } from '../aggregation/format.js';
import { type DateFormat, dateFormatOf, defaultDateFormat } from '../date/date-format.js';
import { utc } from '../date/zone.js';
import type { Field, Fields } from '../field/field.js';
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
  /** Whether the values of a path are texts, of which the index holds each once. */
  isText(path: string): boolean;
  /** Whether a value of a path fits its type. */
  fits(path: string, value: unknown): boolean;
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
    const isText = (path: string) => fields.find(path)?.kind === 'keyword';
    const fits = (path: string, value: unknown) => fitsKind(fields.find(path)?.kind, value);
    if (format === undefined)
      return { matches, indexed, isText, fits, dates: () => defaultDateFormat, numbers: () => undefined };
    const found = () => (name.includes('*') ? fields.matching(name) : (fields.find(name) ?? []));
    return {
      matches,
      indexed,
      isText,
      fits,
      dates: once(() => dateFormatOf(text(format), format)),
      numbers: once(() => numbersIn(format, [found()].flat(), indexed)),
    };
  });

/**
 * Whether a single value is indexed even if other values of its record are not: a number or boolean, or a text that
 * reads as one.
 */
const fitsKind = (kind: Field['kind'] | undefined, value: unknown): boolean => {
  if (kind === 'double' || kind === 'long')
    return (
      typeof value === 'number' ||
      (typeof value === 'string' && Number.isFinite(Number.parseFloat(value)) && Number.isFinite(Number(value)))
    );
  return kind === 'boolean' && (typeof value === 'boolean' || value === 'true' || value === 'false');
};

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
 * Creates the function that extracts the values of fields from a source, each as an array. If some values of a path are
 * `ignored`, it extracts only those of its indexed values that fit, and none in other forms, as the engines do. It
 * returns undefined if no values are requested or found.
 */
export const shownFields =
  (fields: readonly ShownField[]) =>
  (
    source: { [key: string]: PlainJson },
    millis: number,
    ignored: readonly string[],
  ): { [path: string]: unknown[] } | undefined => {
    if (fields.length === 0) return undefined;
    const leaves = leavesOf(source, '');
    const found: { [path: string]: unknown[] } = {};
    const asIndexed = new Set<string>();
    for (const { matches, dates, numbers, isText, fits, indexed } of fields) {
      const print = numbers();
      // A wrong format is an error even if an earlier field determines the format.
      if (matches('ts')) dates();
      for (const [path, all] of leaves) {
        if (!matches(path) || (found[path] !== undefined && !(indexed && asIndexed.has(path)))) continue;
        const values = ignored.includes(path) ? all.filter((value) => indexed && fits(path, value)) : all;
        if (values.length === 0) continue;
        const shown = indexed ? inOrder(values, () => isText(path)) : values;
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

/** Sorts numbers and booleans, and texts by their bytes without duplicates. */
const inOrder = (values: readonly unknown[], isText: () => boolean): unknown[] =>
  values.some((value) => typeof value === 'string') && isText()
    ? [...new Set(values.map(String))].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : values.toSorted((a, b) => (exact(a) < exact(b) ? -1 : exact(a) > exact(b) ? 1 : 0));

/** Converts a value to a comparable number. A text is a whole number beyond what a double distinguishes. */
const exact = (value: unknown): number | bigint =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : Number(value);

const leavesOf = (value: PlainJson, path: string): [string, unknown[]][] => {
  if (value === null) return [];
  if (Array.isArray(value)) {
    const items = value.filter((item) => item !== null);
    return items.length === 0 ? [] : [[path, items]];
  }
  if (typeof value !== 'object') return [[path, [value]]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === '' ? key : `${path}.${key}`));
};
