import { GraphError } from '../../api/graph.js';
import { textOf } from '../../browser/form.js';
import { parseInstant } from '../../format/range.js';
import { shown } from '../../format/value.js';

/** Types of values, with their words. */
export const types = { number: 'Number', boolean: 'Yes or no', text: 'Text', none: 'No value' } as const;

export type Type = keyof typeof types;

/** Returns the type of a value. A new attribute is a number. */
export const typeOf = (value: unknown): Type =>
  value === null ? 'none' : typeof value === 'boolean' ? 'boolean' : typeof value === 'string' ? 'text' : 'number';

/** Formats a value. */
export const shownValue = (value: unknown): string =>
  value === null ? 'no value' : typeof value === 'string' ? value : shown(value, null, 15);

/** Reads the attribute that a form sets. */
export const attributeIn = (form: FormData, type: Type) => {
  const text = form.get('value') as string | null;
  const value = {
    number: () => Number(text),
    boolean: () => text === 'true',
    text: () => text ?? '',
    none: () => null,
  }[type]();
  return { name: textOf(form, 'name'), value, validFrom: timeIn(form) };
};

const timeIn = (form: FormData): number | null => {
  const text = textOf(form, 'validFrom');
  if (text === '') return null;
  const at = parseInstant(text);
  if (at !== undefined) return at;
  const message = 'must be a time, such as 2026-10-25 08:00, or 3d for three days ago';
  throw new GraphError(`Holds from ${message}.`, 'VALIDATION_FAILED', undefined, [{ path: 'validFrom', message }]);
};
