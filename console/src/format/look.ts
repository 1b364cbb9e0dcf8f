import { isExponential, numberText, shown } from './value.js';

/** The look of a variable's values: as its product declares it, and as the product's settings say. */
export interface Look {
  readonly unit?: string | null;
  /** Type of the variable. A BOOL is read in words. */
  readonly type?: string | null;
  /** Number of decimal places; as many as a value needs if there is none. */
  readonly decimals?: number | null;
  /** Words for values, by the values as text. */
  readonly words?: Readonly<Record<string, unknown>> | null;
}

/** Returns the word for a value: of the settings, or for booleans one of a unit such as `closed/open`. */
export const wordFor = (value: unknown, { unit, words }: Look): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const key = `${value}`;
  const word = words != null && Object.hasOwn(words, key) ? words[key] : undefined;
  if (typeof word === 'string') return word;
  if (typeof value !== 'boolean') return undefined;
  const [no, yes] = unit?.includes('/') ? unit.split('/', 2).map((one) => one.trim()) : [];
  return (value ? yes : no) ?? key;
};

/** Returns the unit of a value. That of a count is in the singular beside one. */
export const unitFor = (value: unknown, { unit }: Look): string | null | undefined =>
  value === 1 && (unit === 'devices' || unit === 'values') ? unit.slice(0, -1) : unit;

/** Formats a value of a variable: its word, or the value with its decimals and unit. */
export const said = (value: unknown, look: Look, digits?: number): string => {
  const word = wordFor(value, look);
  if (word !== undefined) return word;
  const { decimals } = look;
  const unit = unitFor(value, look);
  if (typeof value !== 'number' || decimals == null || (isExponential(value) && Math.abs(value) > 1))
    return shown(value, unit, digits);
  const text = numberText(value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return unit ? `${text} ${unit}` : text;
};

/** Returns how results of a function over values are shown. Words are of single values, and counts have no decimals. */
export const lookAfter = (aggregate: string | undefined, look: Look | undefined): Pick<Look, 'decimals' | 'words'> => {
  const { decimals = null, words = null } = look ?? {};
  if (aggregate === 'count') return {};
  return aggregate === 'sum' || aggregate === 'increase' ? { decimals } : { decimals, words };
};
