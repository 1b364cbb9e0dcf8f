import type { Values } from './document.js';

/**
 * Returns a product's settings of a document as the service answers them: with the defaults of counters and
 * commands, variables in the order of names and values. Settings that the service refuses stay as they are.
 */
export const storedSettings = (settings: unknown): unknown => {
  if (!isValues(settings)) return settings;
  const { variables, commands } = settings;
  return {
    ...settings,
    ...(isList(variables) && { variables: sorted(variables.map(variableSettings), 'name') }),
    ...(isList(commands) && { commands: commands.map((each) => ({ confirmed: false, secret: false, ...each })) }),
  };
};

const variableSettings = (settings: Values): Values => {
  const { counter, words } = settings;
  return {
    ...settings,
    ...(isValues(counter) && { counter: { ...counter, jitter: counter['jitter'] ?? 0 } }),
    ...(isList(words) && { words: sorted(words, 'value') }),
  };
};

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: unknown): value is readonly Values[] => Array.isArray(value) && value.every(isValues);

const sorted = (list: readonly Values[], key: string): Values[] =>
  list.toSorted((one, other) => (String(one[key]) < String(other[key]) ? -1 : 1));
