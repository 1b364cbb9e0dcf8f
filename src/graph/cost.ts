import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';
import { usualLength as usual } from '../schema/cost.js';

/** Values of an operation's variables as they were sent, not yet checked. */
export type Variables = Readonly<Record<string, unknown>>;

/**
 * The number of objects that an operation may return: `limit` items of a page (10 unless given), multiplied down the
 * path. Scalars, pages themselves and introspection are free; both branches of `@include` and `@skip` count. What fields
 * say of themselves (`schema/cost`) goes before.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  const root = schema.getRootType(operation.operation);
  if (!root) return 0;
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const defaults = new Map(
    (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const fragmentCosts = new Map<string, number>();

  const numberOf = (node: FieldNode, field: GraphQLField<unknown, unknown>, name: string): number | undefined => {
    const declared = field.args.find((argument) => argument.name === name);
    if (declared === undefined) return undefined;
    let value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) {
      const sent = variables[value.name.value];
      if (typeof sent === 'number') return Math.max(0, sent);
      value = defaults.get(value.name.value);
    }
    // A negative number is refused where it is used; beside `@skip` it is not, and must not take cost off.
    if (value?.kind === Kind.INT) return Math.max(0, Number(value.value));
    return typeof declared.defaultValue === 'number' ? declared.defaultValue : usual;
  };

  /** The length of a list argument, which is that of the answer; `absent` where the argument is not given. */
  const lengthOf = (node: FieldNode, name: string, absent: number): number => {
    let value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value?.kind === Kind.VARIABLE) {
      const sent = variables[value.name.value];
      if (sent != null) return Array.isArray(sent) ? sent.length : 1;
      value = defaults.get(value.name.value);
    }
    if (value === undefined || value.kind === Kind.NULL) return absent;
    return value.kind === Kind.LIST ? value.values.length : 1;
  };
  const sizeOf = (node: FieldNode, { extensions }: GraphQLField<unknown, unknown>): number | undefined => {
    const sized = extensions['sized'] as Readonly<Record<string, number>> | undefined;
    return sized && Object.entries(sized).reduce((size, [name, absent]) => size * lengthOf(node, name, absent), 1);
  };

  /** Of the selections on one object, whose lists have so many items. */
  const ofSelections = ({ selections }: SelectionSetNode, type: GraphQLCompositeType, size: number): number => {
    let cost = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) cost += ofField(selection, type, size);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) cost += ofFragment(selection.name.value, type, size);
      else cost += ofSelections(selection.selectionSet, narrowed(type, selection.typeCondition), size);
    }
    return cost;
  };
  const narrowed = (type: GraphQLCompositeType, condition: Parameters<typeof typeFromAST>[1] | undefined) => {
    const named = condition && typeFromAST(schema, condition);
    return isCompositeType(named) ? named : type;
  };
  const ofFragment = (name: string, type: GraphQLCompositeType, size: number): number => {
    const key = `${name} ${size}`;
    const cost = fragmentCosts.get(key);
    if (cost !== undefined) return cost;
    const fragment = fragments.get(name)!;
    fragmentCosts.set(key, ofSelections(fragment.selectionSet, narrowed(type, fragment.typeCondition), size));
    return fragmentCosts.get(key)!;
  };
  const ofField = (node: FieldNode, parent: GraphQLCompositeType, size: number): number => {
    const field = isUnionType(parent) ? undefined : parent.getFields()[node.name.value];
    const type = field && getNamedType(field.type);
    if (field === undefined || node.selectionSet === undefined || !isCompositeType(type)) return 0;
    if (typeof field.extensions['cost'] === 'number') return field.extensions['cost'];
    const limit = numberOf(node, field, 'limit');
    const within = ofSelections(node.selectionSet, type, limit ?? usual);
    if (limit !== undefined && !isList(field.type)) return within;
    return (isList(field.type) ? (sizeOf(node, field) ?? limit ?? size) : 1) * (1 + within);
  };
  return ofSelections(operation.selectionSet, root, usual);
}

const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type));
