import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { createParameterDecorator } from 'type-graphql';
import { isReadFromRow } from './charge-lists.js';
import type { Place } from './context.js';

/**
 * What a query reads of the rows that a resolver gives: names of fields, those of a page's items among them, without the
 * fields that resolve themselves. Values that cost something to compute are left out where nobody asks for them.
 */
export interface SelectedFields {
  has(field: string): boolean;
  /** The same for two that ask for the same. */
  readonly key: string;
}

/** Where it is not known what is read: every field. */
export const everything: SelectedFields = { has: () => true, key: '*' };

/** A field as a query selects it. */
export interface Selected {
  fieldNodes: readonly FieldNode[];
  fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  returnType: GraphQLOutputType;
}

/** Finds out what is asked of a field's result. What `@skip` and `@include` decide counts as asked for. */
export function selectedFieldsOf({ fieldNodes, fragments, returnType }: Selected): SelectedFields {
  const names = new Set<string>();
  const collect = ({ selections }: SelectionSetNode, type: GraphQLObjectType) => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) collectField(selection, type);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, type);
      else collect(fragments[selection.name.value]!.selectionSet, type);
    }
  };
  const collectField = ({ name, selectionSet }: FieldNode, type: GraphQLObjectType) => {
    const field = type.getFields()[name.value];
    if (field === undefined || !isReadFromRow(field)) return;
    names.add(field.name);
    const inner = getNamedType(field.type);
    if (selectionSet !== undefined && isObjectType(inner)) collect(selectionSet, inner);
  };
  const type = getNamedType(returnType);
  for (const { selectionSet } of fieldNodes) {
    if (selectionSet !== undefined && isObjectType(type)) collect(selectionSet, type);
  }
  return { has: (field) => names.has(field), key: [...names].sort().join() };
}

/** A page that is shown as a connection. */
export interface Connection {
  /** Tells cursors of this list, in its order, from those of others. */
  readonly kind: string;
  /** What a list that is read alone is below: its cursors name it. */
  readonly parentId?: string;
}

/** What is added to the `info` of a resolver: by the executor, where it compiles, and by the connection beside a page. */
export interface SelectionInfo {
  selected?: SelectedFields;
  connection?: { readonly shown: Connection; readonly after: string | null };
}

/** Hands a resolver what is asked of its result. Lists find it in their arguments. */
export const SelectedNames = (): ReturnType<typeof createParameterDecorator> =>
  createParameterDecorator(({ info }) => (info as SelectionInfo).selected ?? everything);

/** Hands a resolver the place of its field, for lists that it counts itself. */
export const FieldPlace = (): ReturnType<typeof createParameterDecorator> =>
  createParameterDecorator(({ info }): Place => info);
