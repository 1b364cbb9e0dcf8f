import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { type Fault, invalid } from '#common/errors.js';
import { bounds } from './document-limit.js';

/** An operation as it was sent. It has no document if it cannot be parsed, or if only its hash was sent. */
export interface SentOperation {
  readonly body: unknown;
  readonly document?: DocumentNode;
  readonly operation?: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly extensions: Readonly<Record<string, unknown>>;
}

type Parsed = Pick<SentOperation, 'document'>;

/** Reads the operations of a batch. The same text is parsed once. */
export function readOperations(bodies: readonly unknown[]): SentOperation[] {
  const parsed = new Map<string, Parsed>();
  return bodies.map((body) => {
    const { query, operationName, variables, extensions } = propertiesOf(body);
    const sent = { body, variables: propertiesOf(variables), extensions: propertiesOf(extensions) };
    if (typeof query !== 'string') return sent;
    const known = parsed.get(query) ?? parseText(query);
    parsed.set(query, known);
    const { document } = known;
    const operation = document && getOperationAST(document, typeof operationName === 'string' ? operationName : null);
    return document && operation ? { ...sent, document, operation } : sent;
  });
}

const propertiesOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const parseText = (query: string): Parsed => {
  try {
    return { document: parse(query, { maxTokens: bounds.tokens, noLocation: true }) };
  } catch (error) {
    if (error instanceof GraphQLError) return {};
    throw error;
  }
};

/** Whether an operation is certainly a query. */
export const isQuery = ({ operation }: SentOperation): boolean => operation?.operation === OperationTypeNode.QUERY;

/** Extensions of an operation that say how it runs. */
const flags = ['atomic', 'concurrent', 'cost'] as const;

/**
 * Throws 422 for a flag that would be ignored: one that is neither true nor false, or that stands beside `extensions`.
 */
export function requireFlags(operations: readonly SentOperation[], isBatch: boolean): void {
  const faults = operations.flatMap(({ body, extensions }, index) => {
    const place = isBatch ? `${index}.` : '';
    return flags.flatMap((name): Fault[] => {
      const given = extensions[name];
      if (given !== undefined && typeof given !== 'boolean')
        return [{ path: `${place}extensions.${name}`, message: 'must be true or false' }];
      return Object.hasOwn(propertiesOf(body), name)
        ? [{ path: `${place}${name}`, message: 'must stand in `extensions`' }]
        : [];
    });
  });
  if (faults.length > 0) throw invalid(faults);
}

/** Whether the batch is to be done as a whole or not at all. One operation that says so is enough. */
export const isAtomic = (operations: readonly SentOperation[]): boolean =>
  operations.some(({ extensions }) => extensions['atomic'] === true);

/**
 * Splits a batch into runs, which are executed one after the other. Adjacent queries, and operations that say that they
 * may run side by side with others (`"concurrent": true`), form one run. Any other mutation, or operation that may be
 * one, is a run of its own.
 */
export function runsOf(operations: readonly SentOperation[]): SentOperation[][] {
  const runs: SentOperation[][] = [];
  let open = false;
  for (const operation of operations) {
    const joins = isQuery(operation) || operation.extensions['concurrent'] === true;
    if (joins && open) runs.at(-1)!.push(operation);
    else runs.push([operation]);
    open = joins;
  }
  return runs;
}

/**
 * Returns the fields that an operation runs at its root, those of fragments included, without those that `@skip` or
 * `@include` leaves out. The document may not have been validated: a fragment that spreads itself ends there, and more
 * fields than a document may have tokens are not listed.
 */
export function rootFields(sent: SentOperation): FieldNode[] {
  const { document, operation } = sent;
  const fields = new Map<string, FieldNode>();
  const open = new Set<string>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (fields.size >= bounds.tokens) return;
      if (isLeftOut(selection, sent)) continue;
      // A field that stands twice under one name runs once.
      if (selection.kind === Kind.FIELD) fields.set(selection.alias?.value ?? selection.name.value, selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      else if (!open.has(selection.name.value)) {
        const { value } = selection.name;
        const fragment = document?.definitions.find(
          (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === value,
        );
        open.add(value);
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) visit(fragment.selectionSet);
        open.delete(value);
      }
    }
  };
  if (operation !== undefined) visit(operation.selectionSet);
  return [...fields.values()];
}

/** Whether `@skip` or `@include` leaves a selection out. */
const isLeftOut = ({ directives = [] }: SelectionNode, { operation, variables }: SentOperation): boolean =>
  directives.some(({ name, arguments: args = [] }) => {
    if (name.value !== 'skip' && name.value !== 'include') return false;
    const value = args.find((argument) => argument.name.value === 'if')?.value;
    return value !== undefined && booleanOf(value, variables, operation) === (name.value === 'skip');
  });

/** Returns the boolean of a literal, of the variable sent, or of the variable's default; undefined for another value. */
const booleanOf = (
  value: ValueNode,
  variables: SentOperation['variables'],
  operation: SentOperation['operation'],
): unknown => {
  if (value.kind === Kind.BOOLEAN) return value.value;
  if (value.kind !== Kind.VARIABLE) return undefined;
  const { value: name } = value.name;
  if (variables[name] !== undefined) return variables[name];
  const declared = operation?.variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
  return declared?.kind === Kind.BOOLEAN ? declared.value : undefined;
};
