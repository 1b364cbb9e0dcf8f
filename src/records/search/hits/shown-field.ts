import type { PlainJson } from '../../../json.js';
import { type DateFormat, dateFormatOf, defaultDateFormat } from '../date/date-format.js';
import { utc } from '../date/zone.js';
import { illegalArgument, xContent } from '../failure.js';
import { escapePattern } from '../syntax/escape.js';
import type { Input } from '../syntax/input.js';
import { object } from '../syntax/object.js';
import { flag, kindOf, optionalString, scalarText, string } from '../syntax/value.js';

/** A path, or a pattern with `*`, whose values a hit shows beside its source. */
export interface ShownField {
  readonly pattern: RegExp;
  /** How dates are written. */
  readonly format: DateFormat;
  /** Whether values come as they are indexed: in order, each text once. */
  readonly indexed: boolean;
}

/** Reads `fields` or `docvalue_fields`: names, or objects of a name and a format. */
export const parseShownFields = (input: Input, indexed: boolean): ShownField[] =>
  input.items().map((item) => {
    const name = scalarText(item);
    if (name !== undefined) return { pattern: patternOf(name), format: defaultDateFormat, indexed };
    if (!item.isObject) throw xContent(`[docvalues_field] Expected START_OBJECT but was: ${kindOf(item)}`, item);
    const { field, format } = object('docvalues_field', {
      field: string,
      format: optionalString,
      include_unmapped: flag,
    })(item);
    if (field === undefined) throw illegalArgument('Required [field]', item);
    return {
      pattern: patternOf(field),
      format: format === undefined ? defaultDateFormat : dateFormatOf(format, item),
      indexed,
    };
  });

const patternOf = (name: string) => new RegExp(`^${name.split('*').map(escapePattern).join('.*')}$`, 's');

/**
 * Makes the function that picks the values of fields out of a source, each as an array.
 * @returns undefined where none are asked for or found.
 */
export const shownFields =
  (fields: readonly ShownField[]) =>
  (source: { [key: string]: PlainJson }, millis: number): { [path: string]: unknown[] } | undefined => {
    if (fields.length === 0) return undefined;
    const leaves = leavesOf(source, '');
    const found: { [path: string]: unknown[] } = {};
    const asIndexed = new Set<string>();
    for (const { pattern, format, indexed } of fields) {
      for (const [path, values] of leaves) {
        if (!pattern.test(path) || (found[path] !== undefined && !(indexed && asIndexed.has(path)))) continue;
        const picked = path === 'ts' ? [format.print(Math.floor(millis), utc)] : indexed ? inOrder(values) : values;
        // What is asked for twice as it is indexed comes twice.
        found[path] = [...(found[path] ?? []), ...picked];
        if (indexed) asIndexed.add(path);
      }
    }
    return Object.keys(found).length === 0 ? undefined : found;
  };

/** Numbers and booleans in order, texts by their bytes and each once. */
const inOrder = (values: readonly unknown[]): unknown[] =>
  values.some((value) => typeof value === 'string')
    ? [...new Set(values.map(String))].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : values.toSorted((a, b) => Number(a) - Number(b));

const leavesOf = (value: PlainJson, path: string): [string, unknown[]][] => {
  if (value === null) return [];
  if (Array.isArray(value)) {
    const items = value.filter((item) => item !== null);
    return items.length === 0 ? [] : [[path, items]];
  }
  if (typeof value !== 'object') return [[path, [value]]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === '' ? key : `${path}.${key}`));
};
