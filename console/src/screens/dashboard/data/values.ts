import type { Address } from '../../../browser/address.js';
import type { Choice, Variable } from '../document.js';

/** Values of a dashboard's variables, by name. An empty value selects every device. */
export type Values = Readonly<Record<string, string>>;

/** Prefix of a dashboard's variables in the address. */
const prefix = 'var-';

/** Value in the address that selects every device when the variable has another default. */
const all = '*';

/** Reads the values of the variables from the address. */
export const valuesIn = (address: Address, variables: readonly Variable[]): Values =>
  Object.fromEntries(
    variables.map(({ name, default: usual = '' }) => {
      const given = address.get(prefix + name);
      return [name, given === '' ? usual : given === all ? '' : given];
    }),
  );

/** Returns the change of the address that gives a variable a value. */
export const changeOf = ({ name, default: usual = '' }: Variable, value: string): Record<string, string> => ({
  [prefix + name]: value === usual ? '' : value === '' ? all : value,
});

/** Fills the values of variables into a choice of devices. A variable without a value chooses every device. */
export const chosen = ({ devices, ...other }: Choice, values: Values): Choice => {
  const filled = (text: string) => (text.startsWith('$') ? (values[text.slice(1)] ?? '') : text);
  if (devices !== undefined) {
    const ids = devices.map(filled);
    return ids.length === 0 || ids.includes('') ? {} : { devices: [...new Set(ids)].sort() };
  }
  return Object.fromEntries(
    Object.entries(other).flatMap(([name, value]) => (filled(value) === '' ? [] : [[name, filled(value)]])),
  );
};
