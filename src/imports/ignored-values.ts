import type { IgnoredValues } from '#entities/file-import.js';
import { valueOfName } from '#json/key-path.js';
import type { NewRecord } from '#records/new-record.js';
import type { Declared } from './declared.js';

/** Maximum number of characters of a value that a message quotes. */
const shownLength = 100;

/** Returns the values of a record that do not fit the types of their variables. */
export const ignoredOf = (line: number, { data, typed }: NewRecord, { types }: Declared): IgnoredValues[] =>
  (typed.ignored ?? []).map((path) => {
    const field = path.slice('data.'.length);
    const shown = JSON.stringify(valueOfName(data, field)).slice(0, shownLength);
    return { field, count: 1, line, message: `${shown} does not fit the type ${types.get(field)}.` };
  });

/** Adds values to known ones, by variable. Of each, the first line and message stay. */
export const addIgnored = (known: readonly IgnoredValues[], more: readonly IgnoredValues[]): IgnoredValues[] => {
  const byField = new Map(known.map((each) => [each.field, each]));
  for (const each of more) {
    const before = byField.get(each.field);
    byField.set(each.field, before ? { ...before, count: before.count + each.count } : each);
  }
  return [...byField.values()];
};
