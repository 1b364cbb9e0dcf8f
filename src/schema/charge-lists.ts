import { type GraphQLField, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { Context } from './context.js';
import { scalarsOfObject } from './cost.js';
import { isList, sizeArgument, type Weights, weightsOf } from './object-weight.js';

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;
type Arguments = Readonly<Record<string, unknown>>;

/** Resolvers created here that only read a property of the row. */
const readers = new WeakSet<Resolve>();

/** Marks a resolver as one that only reads a property of the row. */
export const readsRow = (resolve: Resolve): Resolve => {
  readers.add(resolve);
  return resolve;
};

/** Whether a field is read from its row rather than computed by a method. */
export const isReadFromRow = ({ resolve }: GraphQLField<unknown, never>): boolean =>
  resolve === undefined || readers.has(resolve as Resolve);

/**
 * Makes every list charge the request's budget during execution. A list with a size argument reserves its maximum
 * number of objects before it is read, and counts the actual number afterwards. Any other list counts its length.
 */
export function chargeLists(schema: GraphQLSchema): void {
  const paged = pageTypes(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.extensions['uncounted'] === true) continue;
      if (typeof field.extensions['cost'] === 'number') chargeFixed(field, field.extensions['cost']);
      else if (sizeArgument(field) !== undefined || field.extensions['sized'] !== undefined) chargeSized(field);
      else if (isList(field.type) && !paged.has(type.name)) chargeLength(field);
    }
  }
}

/**
 * Returns the names of the types that fields with a size argument return: pages, connections, events. Their lists are
 * charged with the field.
 */
const pageTypes = (schema: GraphQLSchema): ReadonlySet<string> => {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()));
  return new Set(fields.filter((each) => sizeArgument(each) !== undefined).map(({ type }) => getNamedType(type).name));
};

function chargeFixed(field: Field, objects: number): void {
  const { resolve } = field;
  field.resolve = (root, args, context, info) => {
    context.objects?.count(info, objects);
    return resolve?.(root, args, context, info);
  };
}

function chargeSized(field: Field): void {
  const { resolve, extensions } = field;
  const argument = sizeArgument(field);
  const sized = (extensions['sized'] ?? {}) as Readonly<Record<string, number>>;
  const mostOf = (args: Arguments): number => {
    if (argument !== undefined)
      return Math.max(0, numberIn(args[argument.name]) ?? numberIn(argument.defaultValue) ?? 0);
    return Object.entries(sized).reduce((size, [name, absent]) => size * (lengthIn(args[name]) ?? absent), 1);
  };
  field.resolve = (root, args, context, info) => {
    const { objects } = context;
    const run = (): unknown => resolve?.(root, args, context, info);
    if (objects === undefined) return run();
    const weights = weightsOf(info);
    const most = mostOf(args as Arguments);
    const weight = sum(weights.values());
    const settle = (answer: unknown) => {
      objects.settle(info, most * weight, countIn(answer, weights, most));
      return answer;
    };
    const fail = (error: unknown): never => {
      objects.settle(info, most * weight, 0);
      throw error;
    };
    const read = () => Promise.resolve(run()).then(settle, fail);
    const wait = objects.reserve(info, most * weight, argument && { name: argument.name, weight });
    if (wait !== undefined) return wait.then(read);
    let answer: unknown;
    try {
      answer = run();
    } catch (error) {
      return fail(error);
    }
    return answer instanceof Promise ? answer.then(settle, fail) : settle(answer);
  };
}

function chargeLength(field: Field): void {
  const { name, resolve, extensions } = field;
  const lengthOf = extensions['lengthOf'] as ((root: unknown) => number) | undefined;
  const isObjects = isObjectType(getNamedType(field.type));
  const charged: Resolve = (root, args, context, info) => {
    const { objects } = context;
    const run = (): unknown =>
      resolve ? resolve(root, args, context, info) : (root as Readonly<Record<string, unknown>>)[name];
    if (objects === undefined) return run();
    const weight = isObjects ? (weightsOf(info).get('') ?? 0) : 1 / scalarsOfObject;
    // Called even with nothing to count, as it throws when the budget is used up, before more is read.
    objects.count(info, lengthOf === undefined ? 0 : lengthOf(root) * weight);
    const list = run();
    if (lengthOf !== undefined) return list;
    const counted = (items: unknown) => {
      if (Array.isArray(items)) objects.count(info, items.length * weight, 0);
      return items;
    };
    return list instanceof Promise ? list.then(counted) : counted(list);
  };
  if (resolve === undefined) readers.add(charged);
  field.resolve = charged;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);

/** Counts the objects of a result. A list that is not loaded yet counts its maximum. */
function countIn(answer: unknown, weights: Weights, most: number): number {
  if (answer === null || answer === undefined) return 0;
  if (Array.isArray(answer)) return answer.length * (weights.get('') ?? 0);
  let objects = 0;
  for (const [name, weight] of weights) {
    objects += weight * (lengthIn((answer as Readonly<Record<string, unknown>>)[name]) ?? most);
  }
  return objects;
}

const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const lengthIn = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
