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
import type { FieldPosition } from './context.js';

/**
 * The fields that a query reads of the rows that a resolver returns, including those of a page's items, without fields
 * that have their own resolver. Values that are expensive to compute are skipped when they are not selected.
 */
export interface SelectedFields {
  has(field: string): boolean;
  /** Equal for two selections of the same fields. */
  readonly key: string;
}

/** The selection of every field, used when the real selection is unknown. */
export const everything: SelectedFields = { has: () => true, key: '*' };

/** A field as a query selects it. */
export interface Selected {
  fieldNodes: readonly FieldNode[];
  fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  returnType: GraphQLOutputType;
}

/** Returns the selected fields of a field's result. Fields under `@skip` and `@include` count as selected. */
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
export interface ShownConnection {
  /** Identifies the list and its order, so that cursors of other lists are refused. */
  readonly kind: string;
  /** Identifies the parent of a list that is read alone, which its cursors name. */
  readonly parentId?: string;
}

/** Additions to the `info` of a resolver: by the executor when it compiles, and by the connection beside a page. */
export interface SelectionInfo {
  selected?: SelectedFields;
  connection?: { readonly shown: ShownConnection; readonly after: string | null };
}

/** Passes the selected fields of the result to a resolver. Lists find them in their arguments. */
export const SelectedNames = (): ReturnType<typeof createParameterDecorator> =>
  createParameterDecorator(({ info }) => (info as SelectionInfo).selected ?? everything);

/** Passes the position of the field to a resolver that counts its lists itself. */
export const FieldPlace = (): ReturnType<typeof createParameterDecorator> =>
  createParameterDecorator(({ info }): FieldPosition => info);
