import {
  type FieldNode,
  type FragmentDefinitionNode,
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
  type SelectionSetNode,
  typeFromAST,
} from 'graphql';

/** A field of the schema, regardless of its context type. */
export type AnyField = Pick<GraphQLField<unknown, unknown>, 'name' | 'type' | 'args' | 'extensions'>;

/** Looks up a fragment by its name. */
export type FragmentOf = (name: string) => FragmentDefinitionNode | undefined;

/** Whether the type of a field is a list itself. */
export const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type));

/** Returns the argument that limits the number of items of a field: `limit` of a page, `first` of a connection. */
export const sizeArgument = ({ args }: AnyField): AnyField['args'][number] | undefined =>
  args.find(({ name }) => name === 'limit' || name === 'first');

/**
 * Whether an object of this field is part of another object that is counted: the node of an edge, the `pageInfo` of a
 * page.
 */
export const isPart = ({ extensions }: AnyField): boolean => extensions['part'] === true;

/** Calls `visit` for every selected field that returns objects, including those of fragments. */
export function visitObjects(
  schema: GraphQLSchema,
  fragmentOf: FragmentOf,
  { selections }: SelectionSetNode,
  type: GraphQLCompositeType,
  visit: (node: FieldNode, set: SelectionSetNode, field: AnyField, type: GraphQLCompositeType) => void,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      const field = isUnionType(type) ? undefined : type.getFields()[selection.name.value];
      const inner = field && getNamedType(field.type);
      const { selectionSet } = selection;
      if (field && selectionSet && isCompositeType(inner)) visit(selection, selectionSet, field, inner);
      continue;
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentOf(selection.name.value);
    if (fragment === undefined) continue;
    const named = fragment.typeCondition && typeFromAST(schema, fragment.typeCondition);
    visitObjects(schema, fragmentOf, fragment.selectionSet, isCompositeType(named) ? named : type, visit);
  }
}

/** The selection of a field's result, as resolvers receive it. */
export interface AskedField {
  fieldNodes: readonly FieldNode[];
  fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  returnType: GraphQLOutputType;
  schema: GraphQLSchema;
}

/**
 * Objects per item of the lists that a field returns, by the name of the list in its page; `''` is the field itself.
 */
export type Weights = ReadonlyMap<string, number>;

/** Weights by the nodes of a field. Executors pass the same array for every row. */
const known = new WeakMap<readonly FieldNode[], Weights>();

/** Returns the weights of a field. An item weighs one, plus one for each single object selected from it. */
export function weightsOf(asked: AskedField): Weights {
  const { fieldNodes, fragments, returnType, schema } = asked;
  const cached = known.get(fieldNodes);
  if (cached !== undefined) return cached;
  const type = getNamedType(returnType);
  const weights = new Map<string, number>();
  const add = (name: string, weight: number) => weights.set(name, (weights.get(name) ?? 0) + weight);
  const fragmentOf: FragmentOf = (name) => fragments[name];
  const singles = (set: SelectionSetNode, of: GraphQLCompositeType): number => {
    let sum = 0;
    visitObjects(schema, fragmentOf, set, of, (_node, below, field, inner) => {
      const isCharged = isList(field.type) || sizeArgument(field) !== undefined || 'cost' in field.extensions;
      if (!isCharged) sum += (isPart(field) ? 0 : 1) + singles(below, inner);
    });
    return sum;
  };
  for (const { selectionSet } of fieldNodes) {
    if (selectionSet === undefined || !isCompositeType(type)) continue;
    if (isList(returnType)) add('', singles(selectionSet, type));
    else {
      visitObjects(schema, fragmentOf, selectionSet, type, ({ name }, below, field, item) => {
        if (isList(field.type)) add(name.value, 1 + singles(below, item));
      });
    }
  }
  if (isList(returnType)) add('', 1);
  known.set(fieldNodes, weights);
  return weights;
}
