import { type ValidationError, validateSync } from 'class-validator';
import { type ClassType, getMetadataStorage, ID, type ValidatorFn } from 'type-graphql';
import { type Fault, invalid } from '#common/errors.js';
import { isStorable, unstorable } from '#entities/storable.js';
import { brokenItems, validates } from './validation.js';

type Fields = Readonly<Record<string, unknown>>;
type Class = ClassType<object>;

/**
 * Validates an instance of an arguments class: its texts must be storable in PostgreSQL and its values must meet the
 * rules of class-validator's decorators.
 * @throws invalid with every fault under its dotted path.
 */
export function requireValid(value: object, type: Class): void {
  const faults = faultsOf(value as Fields, type);
  if (faults.length > 0) throw invalid(faults);
}

const checkedByItem = new WeakSet<object>();

/**
 * Marks an input type whose instances are the items of a call: one item's fault is its own outcome and does not refuse
 * the call. The resolver checks each item with {@link itemFaults}.
 */
export const CheckedByItem = (): ClassDecorator => (type) => void checkedByItem.add(type);

/** Returns the faults of an instance of an input type, with paths that begin at the instance. */
export const itemFaults = (item: object): Fault[] => faultsOf(item as Fields, item.constructor as Class);

/** Validates arguments for `buildSchema` (`validateFn`). */
export const checkArguments: ValidatorFn = (value: unknown, type) => {
  if (typeof value === 'object' && value !== null && typeof type === 'function') requireValid(value, type as Class);
};

/** Returns the faults that {@link requireValid} would find in plain values for an operation (`createTeam`). */
export const argumentFaults = (operation: string, values: Fields): Fault[] => {
  const type = argumentsClass(operation);
  return type === undefined ? [] : faultsOf(toInstance(values, type), type);
};

/** Returns the arguments class of an operation; undefined when it has no arguments. */
export const argumentsClass = (operation: string): Class | undefined => {
  const { queries, mutations, params } = getMetadataStorage();
  const handler = [...queries, ...mutations].find(({ schemaName }) => schemaName === operation);
  const param = params.find(
    ({ kind, target, methodName }) =>
      kind === 'args' && target === handler?.target && methodName === handler.methodName,
  );
  return param?.kind === 'args' ? (param.getType() as Class) : undefined;
};

/** Returns the class of an input type by its name in the graph (`LocationInput`). */
export const inputClass = (name: string): Class | undefined =>
  getMetadataStorage().inputTypes.find((each) => each.name === name)?.target as Class | undefined;

interface InputField {
  name: string;
  /**
   * Whether the field is an identifier. Its text is not checked here, because an impossible identifier just matches
   * nothing.
   */
  isId: boolean;
  /** Class of the field's values, when they are objects. */
  nested?: Class;
}

/** Returns the fields of an arguments or input class, including those of its parent classes. */
const inputFields = (type: Class): InputField[] => {
  const cached = cache.get(type);
  if (cached !== undefined) return cached;
  const { fields, inputTypes } = getMetadataStorage();
  const found = fields
    .filter(({ target }) => target === type || Object.prototype.isPrototypeOf.call(target, type))
    .map(({ name, getType }) => {
      const inner: unknown = getType();
      return { name, isId: inner === ID, nested: inputTypes.find(({ target }) => target === inner)?.target as Class };
    });
  cache.set(type, found);
  return found;
};

const cache = new WeakMap<Class, InputField[]>();

/** Turns plain values into an instance of an arguments class, by which class-validator finds their rules. */
export const toInstance = (values: Fields, type: Class): Fields => {
  const bare: unknown = Object.create(type.prototype);
  const instance = Object.assign(bare as Record<string, unknown>, values);
  for (const { name, nested } of inputFields(type)) {
    const value = instance[name];
    if (nested === undefined) continue;
    if (Array.isArray(value))
      instance[name] = value.map((item: unknown) => (isFields(item) ? toInstance(item, nested) : item));
    else if (isFields(value)) instance[name] = toInstance(value, nested);
  }
  return instance;
};

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the faults of a value. With text that cannot be stored, the rules are not checked, as some of them throw at a
 * lone surrogate.
 */
const faultsOf = (value: Fields, type: Class): Fault[] => {
  const faults = textFaults(value, type, '');
  if (faults.length > 0) return faults;
  if (validates(value, type)) return [];
  return ruleFaults(validateSync(value, { skipMissingProperties: true, forbidUnknownValues: false }), '');
};

/** Finds NUL and lone surrogates in every text except identifiers. */
const textFaults = (value: Fields, type: Class, parent: string): Fault[] => {
  const faults: Fault[] = [];
  for (const field of inputFields(type)) {
    const inner = value[field.name];
    if (Array.isArray(inner)) {
      inner.forEach((item, index) => faults.push(...textFaultsAt(item, field, `${parent}${field.name}.${index}`)));
    } else if (inner !== undefined) {
      faults.push(...textFaultsAt(inner, field, `${parent}${field.name}`));
    }
  }
  return faults;
};

const textFaultsAt = (value: unknown, { isId, nested }: InputField, path: string): Fault[] => {
  if (nested !== undefined && checkedByItem.has(nested)) return [];
  if (typeof value === 'string' && !isId && !isStorable(value)) {
    return [{ path, message: unstorable }];
  }
  return nested !== undefined && isFields(value) ? textFaults(value, nested, `${path}.`) : [];
};

/**
 * Returns one fault per field, for the first rule that it breaks. For a list with invalid items, it returns a fault for
 * each of them.
 */
const ruleFaults = (errors: readonly ValidationError[], parent: string): Fault[] =>
  errors.flatMap((error) => {
    const path = `${parent}${error.property}`;
    const [broken] = Object.entries(error.constraints ?? {});
    return [...(broken ? faultsOfRule(error, broken, path) : []), ...ruleFaults(error.children ?? [], `${path}.`)];
  });

const faultsOfRule = (
  { target, property }: ValidationError,
  [rule, said]: readonly [name: string, message: string],
  path: string,
): Fault[] => {
  const items = target === undefined ? [] : brokenItems(target, property, rule);
  const message = withoutStart(said, `each value in ${property} `, `${property} `);
  return items.length === 0 ? [{ path, message }] : items.map((index) => ({ path: `${path}.${index}`, message }));
};

const withoutStart = (message: string, ...starts: readonly string[]): string =>
  message.slice(starts.find((start) => message.startsWith(start))?.length ?? 0);
