import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import type { Context } from './context.js';
import { scalarsOfObject, usualLength } from './cost.js';

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;

/** Resolvers made here that only read a property of the row. */
const readers = new WeakSet<Resolve>();

/** Whether a field is read from its row, not computed by a method. */
export const isReadFromRow = ({ resolve }: GraphQLField<unknown, never>): boolean =>
  resolve === undefined || readers.has(resolve as Resolve);

/**
 * Lets lists whose length no argument says spend their real length while an operation runs: an object for each item beyond
 * those that the cost of the operation has for such a list, and an object for every {@link scalarsOfObject} scalars.
 */
export function chargeLists(schema: GraphQLSchema): void {
  const limited = typesWithLimit(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || limited.has(type.name)) continue;
    for (const field of Object.values(type.getFields())) if (isUnsized(field)) charge(field);
  }
}

/** Types that fields with a `limit` answer: pages, and events of subscriptions. Their lists are counted by it beforehand. */
const typesWithLimit = (schema: GraphQLSchema): ReadonlySet<string> => {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()));
  return new Set(
    fields.filter(({ args }) => args.some(({ name }) => name === 'limit')).map(({ type }) => getNamedType(type).name),
  );
};

const isUnsized = ({ type, extensions }: Field): boolean =>
  isListType(getNullableType(type)) && extensions['sized'] === undefined && extensions['uncounted'] !== true;

function charge(field: Field): void {
  const { name, resolve, extensions } = field;
  const lengthOf = extensions['lengthOf'] as ((root: unknown) => number) | undefined;
  const costOf = isObjectType(getNamedType(field.type))
    ? (length: number) => Math.max(0, length - usualLength)
    : (length: number) => length / scalarsOfObject;
  const spend = (context: Context, list: unknown) => {
    if (Array.isArray(list)) context.spend(costOf(list.length));
    return list;
  };
  const charged: Resolve = (root, args, context, info) => {
    // Also where nothing is to be spent: what is over is over before more is made.
    context.spend(lengthOf === undefined ? 0 : costOf(lengthOf(root)));
    const list: unknown = resolve
      ? resolve(root, args, context, info)
      : (root as Readonly<Record<string, unknown>>)[name];
    if (lengthOf !== undefined) return list;
    return list instanceof Promise ? list.then((items: unknown) => spend(context, items)) : spend(context, list);
  };
  if (resolve === undefined) readers.add(charged);
  field.resolve = charged;
}
