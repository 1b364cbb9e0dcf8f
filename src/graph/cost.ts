import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { usualLength as usual } from '#schema/cost.js';
import { type AnyField, type FragmentOf, isList, isPart, sizeArgument, visitObjects } from '#schema/object-weight.js';
import type { CountedField } from './object-advice.js';

/** Values of an operation's variables as the client sent them, not yet checked. */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * The number of objects that an operation may return, as far as it is known before execution, and the fields that
 * return them.
 */
export interface OperationCost {
  objects: number;
  fields: readonly CountedField[];
}

type Counting = CountedField & { objects: number; size?: { name: string; perItem: number } };

/**
 * A level of the selection: the number of its parent objects, the size of the lists in it, and the field that its
 * objects are charged to.
 */
interface Level {
  parents: number;
  size: number;
  owner: Counting;
}

/** Costs of operations in which no variable limits a list. */
const fixed = new WeakMap<OperationDefinitionNode, OperationCost>();

/**
 * Computes the cost of an operation. Each list costs its maximum length: `limit` items of a page (10 unless given),
 * with the single objects of each item. A list within a list is counted once here, and during execution once per parent
 * (`object-budget.ts`). Scalars, pages themselves and introspection are free. Both branches of `@include` and `@skip`
 * count.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): OperationCost {
  const known = fixed.get(operation);
  if (known !== undefined) return known;
  const root = schema.getRootType(operation.operation);
  if (!root) return { objects: 0, fields: [] };
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const fragmentOf: FragmentOf = (name) => fragments.get(name);
  const values = createValues(operation, variables);
  const fields: Counting[] = [];
  const owning = (path: readonly string[], size?: Counting['size']): Counting => {
    const field = { path, objects: 0, calls: 1, ...(size && { size }) };
    fields.push(field);
    return field;
  };
  const count = ({ owner }: Level, objects: number, perItem: number) => {
    owner.objects += objects;
    if (owner.size !== undefined) owner.size.perItem += perItem;
  };

  const visit = (set: SelectionSetNode, type: GraphQLCompositeType, path: readonly string[], level: Level): void =>
    visitObjects(schema, fragmentOf, set, type, (node, below, field, inner) => {
      const at = [...path, node.alias?.value ?? node.name.value];
      const descend = (next: Level) => visit(below, inner, at, next);
      const cost = field.extensions['cost'];
      if (typeof cost === 'number') return void (owning(at).objects += cost);
      const limit = values.limitOf(node, field);
      if (limit !== undefined && !isList(field.type)) {
        const owner = owning(at, { name: sizeArgument(field)!.name, perItem: 0 });
        return descend({ parents: 0, size: limit, owner });
      }
      if (!isList(field.type)) {
        if (!isPart(field)) count(level, level.parents, level.parents > 0 ? 1 : 0);
        return descend({ ...level, size: usual });
      }
      const isOfPage = level.parents === 0;
      const items = values.sizeOf(node, field) ?? limit ?? level.size;
      const next = { parents: items, size: usual, owner: isOfPage ? level.owner : owning(at) };
      count(next, items, 1);
      return descend(next);
    });
  visit(operation.selectionSet, root, [], { parents: 1, size: usual, owner: owning([operation.operation]) });
  const cost = { objects: fields.reduce((sum, { objects }) => sum + objects, 0), fields };
  if (!values.dependOnVariables()) fixed.set(operation, cost);
  return cost;
}

/** Creates the reader of the arguments that determine the length of a list. */
function createValues({ variableDefinitions = [] }: OperationDefinitionNode, variables: Variables) {
  const defaults = new Map(
    variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  let isByVariable = false;
  /** Returns the value of an argument: the value sent for its variable, or the literal in the document. */
  const given = (node: FieldNode, name: string): { sent: unknown } | { written: ValueNode | undefined } => {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind !== Kind.VARIABLE) return { written: value };
    isByVariable = true;
    const sent = variables[value.name.value];
    return sent == null ? { written: defaults.get(value.name.value) } : { sent };
  };
  return {
    /** Whether a value that was asked for is that of a variable. */
    dependOnVariables: () => isByVariable,
    limitOf(node: FieldNode, field: AnyField): number | undefined {
      const declared = sizeArgument(field);
      if (declared === undefined) return undefined;
      const value = given(node, declared.name);
      // A negative number is refused during execution, but not for a field that `@skip` leaves out. It must not reduce
      // the cost there.
      if ('sent' in value && typeof value.sent === 'number') return Math.max(0, value.sent);
      if ('written' in value && value.written?.kind === Kind.INT) return Math.max(0, Number(value.written.value));
      return typeof declared.defaultValue === 'number' ? declared.defaultValue : usual;
    },
    /** Returns the product of the lengths of the list arguments, which is the length of the answer. */
    sizeOf(node: FieldNode, { extensions }: AnyField): number | undefined {
      const sized = extensions['sized'] as Readonly<Record<string, number>> | undefined;
      const lengthOf = (name: string, absent: number): number => {
        const value = given(node, name);
        if ('sent' in value) return Array.isArray(value.sent) ? value.sent.length : 1;
        if (value.written === undefined || value.written.kind === Kind.NULL) return absent;
        return value.written.kind === Kind.LIST ? value.written.values.length : 1;
      };
      return sized && Object.entries(sized).reduce((size, [name, absent]) => size * lengthOf(name, absent), 1);
    },
  };
}
