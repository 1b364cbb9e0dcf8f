import { createHash } from 'node:crypto';
import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { Fault } from '#common/errors.js';
import { VariableType } from './enums.js';
import {
  CommandDeclaration,
  downlinkFaults,
  type SentCommandDeclaration,
  StateDeclaration,
  storedCommands,
} from './product-command.js';

@ObjectType({ description: 'Behaviour of a variable that counts up, such as the energy of a meter.' })
export class Counter {
  @Field(() => Float, { nullable: true, description: 'Value at which the counter begins again at zero.' })
  rollsOverAt?: number | null;
  @Field(() => Float, { description: 'Largest step back that counts as noise, not as a reset.' }) jitter!: number;
}

/** A word to show for a value. */
@ObjectType({ description: 'A word to show for a value.' })
export class ValueWord {
  @Field(() => String, { description: 'The value as text: `3`, `true`, `open`.' }) value!: string;
  @Field(() => String, { description: 'The word.' }) word!: string;
}

@ObjectType({ description: 'Settings of a variable, which a device does not send.' })
export class VariableSettings {
  @Field(() => String, { description: 'Name of the variable.' }) name!: string;
  @Field(() => Counter, { nullable: true, description: 'Behaviour of the variable, if it is a counter.' })
  counter?: Counter | null;
  @Field(() => [ValueWord], { description: 'Words to show for values, in the order of the values.' })
  words!: ValueWord[];
  @Field(() => Int, { nullable: true, description: 'Decimal places to show.' }) decimals?: number | null;
}

/** A variable that is computed from others of the same record. */
@ObjectType({ description: 'A variable that the service computes when it stores a record.' })
export class DerivedVariable {
  @Field(() => String, { description: 'Name, which no variable of the product has.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'Unit of the values.' }) unit?: string | null;
  @Field(() => VariableType, { description: 'Type of the values.' }) type!: VariableType;
  @Field(() => String, {
    description: 'Formula over variables of the same record, attributes, and earlier values of the device.',
  })
  formula!: string;
}

/** A product's settings in the graph, which resolves their fields from {@link StoredSettings}. */
@ObjectType({ description: 'Settings of a product, by the names of its variables.' })
export class ProductSettings {
  @Field(() => [VariableSettings], {
    description:
      'Settings of variables, in the order of their names. Those of a name that the product lacks have no effect.',
  })
  variables!: VariableSettings[];
  @Field(() => [DerivedVariable], {
    description: 'Variables that the service computes when it stores a record, in the order in which they were put.',
  })
  derived!: DerivedVariable[];
  @Field(() => [CommandDeclaration], {
    description: 'Commands that devices understand, in the order in which they were put.',
  })
  commands!: CommandDeclaration[];
  @Field(() => [StateDeclaration], {
    description: 'Parts of the state that devices have, in the order in which they were put.',
  })
  state!: StateDeclaration[];
  @Field(() => String, {
    description: 'A text that differs when the settings do: `putProductSettings` with it overwrites nobody.',
  })
  version!: string;
}

/** Settings of a variable as they are stored. */
export interface StoredVariableSettings {
  counter?: { rollsOverAt?: number; jitter?: number };
  /** Words by value. */
  words?: Readonly<Record<string, string>>;
  decimals?: number;
}

/** Settings of a product as they are stored; all are absent in a product that was never set. */
export interface StoredSettings {
  /** By name, as own properties: a variable may be named `constructor`. */
  variables?: Readonly<Record<string, StoredVariableSettings>>;
  /** Variables that are computed. No variable of the product has the name of one. */
  derived?: readonly DerivedVariable[];
  commands?: readonly CommandDeclaration[];
  state?: readonly StateDeclaration[];
}

/** A variable of the product, by its name and type. */
interface DeclaredType {
  name: string;
  type: VariableType;
}

/** Settings of a variable as they are sent. */
interface SentVariable {
  name: string;
  counter?: { rollsOverAt?: number | null; jitter?: number | null } | null;
  words?: readonly ValueWord[] | null;
  decimals?: number | null;
}

/** Settings of a product as they are sent. An absent list is empty. */
export interface SentSettings {
  variables?: readonly SentVariable[] | null;
  derived?: readonly DerivedVariable[] | null;
  commands?: readonly SentCommandDeclaration[] | null;
  state?: readonly StateDeclaration[] | null;
}

/** Maximum number of words of all variables of a product. */
const maxWords = 2000;

/** Returns settings as they are stored. */
export const storedSettings = ({ variables, derived, commands, state }: SentSettings): StoredSettings => ({
  ...(commands && commands.length > 0 && { commands: storedCommands(commands) }),
  ...(state && state.length > 0 && { state: state.map(({ unit, ...one }) => ({ ...one, ...(unit && { unit }) })) }),
  ...(derived &&
    derived.length > 0 && { derived: derived.map(({ unit, ...one }) => ({ ...one, ...(unit && { unit }) })) }),
  variables: Object.fromEntries(
    (variables ?? []).map(({ name, counter, words, decimals }) => [
      name,
      {
        ...(counter && {
          counter: {
            ...(counter.rollsOverAt != null && { rollsOverAt: counter.rollsOverAt }),
            jitter: counter.jitter ?? 0,
          },
        }),
        ...(words && words.length > 0 && { words: Object.fromEntries(words.map(({ value, word }) => [value, word])) }),
        ...(decimals != null && { decimals }),
      },
    ]),
  ),
});

/** Returns a text that is the same for equal settings, in whatever order PostgreSQL returns their keys. */
export const versionOf = (settings: StoredSettings): string => {
  const sorted = JSON.stringify(settings, (_key, value: unknown) =>
    value instanceof Object && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(sorted).digest('base64url').slice(0, 16);
};

/** Returns settings of variables as the graph shows them, in the order of names and of values. */
export const shownVariables = ({ variables = {} }: StoredSettings): VariableSettings[] =>
  Object.entries(variables)
    .map(([name, { counter, words = {}, decimals = null }]) => ({
      name,
      counter: counter ? { rollsOverAt: counter.rollsOverAt ?? null, jitter: counter.jitter ?? 0 } : null,
      words: Object.entries(words)
        .map(([value, word]) => ({ value, word }))
        .sort((one, other) => (one.value < other.value ? -1 : 1)),
      decimals,
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));

/**
 * Returns faults of a product's settings taken together: a repeated name or value, too many words, a counter of texts
 * or booleans, noise as large as the counter, and those of commands and states.
 */
export function settingsFaults(
  { variables, commands, state }: SentSettings,
  declared: readonly DeclaredType[],
): Fault[] {
  const list = variables ?? [];
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const names = new Set<string>();
  const faults = list.flatMap(({ name, counter, words }, index): Fault[] => {
    const at = `settings.variables.${index}`;
    const values = new Set<string>();
    return [
      ...(isRepeated(names, name) ? [{ path: `${at}.name`, message: 'this name has settings above' }] : []),
      ...(counter && isUncounted(types.get(name))
        ? [{ path: `${at}.counter`, message: 'only a numeric variable can be a counter' }]
        : []),
      ...(counter?.rollsOverAt != null && (counter.jitter ?? 0) >= counter.rollsOverAt
        ? [{ path: `${at}.counter.jitter`, message: 'must be less than rollsOverAt' }]
        : []),
      ...(words ?? []).flatMap(({ value }, place) =>
        isRepeated(values, value)
          ? [{ path: `${at}.words.${place}.value`, message: 'this value has a word above' }]
          : [],
      ),
    ];
  });
  const count = list.reduce((sum, { words }) => sum + (words?.length ?? 0), 0);
  if (count > maxWords) faults.push({ path: 'settings.variables', message: `must have at most ${maxWords} words` });
  return [...faults, ...downlinkFaults({ commands, state })];
}

/**
 * Returns faults of the names of derived variables: a repeated name, one of a variable or of an object that holds one,
 * one with a dot.
 */
export function derivedNameFaults(
  derived: readonly Pick<DerivedVariable, 'name'>[],
  declared: readonly Pick<DeclaredType, 'name'>[],
): Fault[] {
  const names = new Set<string>();
  return derived.flatMap(({ name }, index): Fault[] => {
    const message = isRepeated(names, name)
      ? 'this name is used by another derived variable'
      : name.includes('.')
        ? 'must not contain a dot'
        : declared.some((one) => one.name === name || one.name.startsWith(`${name}.`))
          ? 'this name is used by a variable of the product'
          : undefined;
    return message === undefined ? [] : [{ path: `settings.derived.${index}.name`, message }];
  });
}

/** Returns faults of variables with a name that a derived variable of the product has. */
export function takenNameFaults(declared: readonly { name: string }[], { derived = [] }: StoredSettings): Fault[] {
  const names = new Set(derived.map(({ name }) => name));
  return declared.flatMap(({ name }, index) =>
    names.has(name) || names.has(name.split('.')[0]!)
      ? [{ path: `variables.${index}.name`, message: 'this name is used by a derived variable' }]
      : [],
  );
}

const isRepeated = (seen: Set<string>, key: string): boolean => seen.has(key) || !seen.add(key);

const isUncounted = (type: VariableType | undefined): boolean =>
  type === VariableType.TXT || type === VariableType.BOOL;
