import {
  type DocumentNode,
  GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
  type ValidationRule,
  visit,
} from 'graphql';
import { ApiError } from '#common/errors.js';

/** Limits of one request. */
export const bounds = {
  /** Levels of nested fields, leaves included. */
  depth: 10,
  /**
   * Selections of an operation. A fragment counts at each spread, because each spread is compiled and visited again.
   */
  selections: 2000,
  /** Aliases in a document. */
  aliases: 30,
  /** Directives in a document. */
  directives: 20,
  /** Tokens of a document. */
  tokens: 2000,
  /**
   * Objects of one operation, and of all operations of a batch: what each level of lists may return beforehand, and
   * what is returned during execution.
   */
  cost: 25_000,
  /** Operations of a batch. */
  batch: 100,
  /** Size of a request in bytes: calls that put 1,000 things have some hundred kibibytes. */
  bytes: 1024 * 1024,
  /** Size of a message of a WebSocket in bytes. */
  message: 256 * 1024,
} as const;

/** A limit that is reported to the client in a sentence. */
type Bound = Exclude<keyof typeof bounds, 'bytes' | 'message'>;

const sentences: Readonly<Record<Bound, (figure: string, limit: string) => string>> = {
  depth: (figure, limit) => `This operation is ${figure} levels deep; at most ${limit} are allowed.`,
  selections: (figure, limit) =>
    `This operation has ${figure} selections once its fragments are spread out; at most ${limit} are allowed.`,
  aliases: (figure, limit) => `This document has ${figure} aliases; at most ${limit} are allowed.`,
  directives: (figure, limit) => `This document has ${figure} directives; at most ${limit} are allowed.`,
  tokens: (figure, limit) => `This document has ${figure} tokens; at most ${limit} are allowed.`,
  cost: (figure, limit) => `This request may return ${figure} objects; at most ${limit} are allowed.`,
  batch: (figure, limit) => `This batch has ${figure} operations; at most ${limit} are allowed.`,
};

const number = new Intl.NumberFormat('en-US');

/**
 * Creates the error for an exceeded limit, with the counted figure, the limit and, in `advice`, the remedy. Its status
 * is 422.
 */
export function exceeded(bound: Bound, figure: number, advice?: string): GraphQLError {
  const sentence = sentences[bound](number.format(figure), number.format(bounds[bound]));
  const message = advice === undefined ? sentence : `${sentence} ${advice}`;
  const fault = { path: bound, message: `is ${figure}; at most ${bounds[bound]} are allowed` };
  return new GraphQLError(message, {
    originalError: new ApiError('VALIDATION_FAILED', message, [fault]),
    extensions: { http: { status: 422 } },
  });
}

/**
 * Validation rule for a document's depth, selections, aliases and directives. Introspection (`__schema`, `__type`) has
 * no depth. Each fragment is measured once, because a chain of fragments that each spread the next one twice would
 * double the work at each step. The rules of graphql-js also visit a fragment once, but the steps after validation may
 * not.
 */
export const boundsRule: ValidationRule = (context) => ({
  Document(document) {
    let aliases = 0;
    let directives = 0;
    visit(document, {
      Field: ({ alias }) => void (aliases += alias ? 1 : 0),
      Directive: () => void (directives += 1),
    });
    if (aliases > bounds.aliases) context.reportError(exceeded('aliases', aliases));
    if (directives > bounds.directives) context.reportError(exceeded('directives', directives));
    const fragment: FragmentOf = (name) => context.getFragment(name)?.selectionSet;
    const measures = { depth: createMeasure(fragment, depthOf), selections: createMeasure(fragment, selectionsOf) };
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      for (const bound of ['depth', 'selections'] as const) {
        const figure = measures[bound](definition.selectionSet);
        if (figure > bounds[bound]) context.reportError(exceeded(bound, figure));
      }
    }
  },
});

type FragmentOf = (name: string) => SelectionSetNode | undefined;
type Measure = (set: SelectionSetNode) => number;

/** Counts the selections of an operation in a document without cycles. A fragment counts at each spread. */
export const countSelections = (document: DocumentNode, { selectionSet }: OperationDefinitionNode): number => {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each.selectionSet] as const] : [],
    ),
  );
  return createMeasure((name) => fragments.get(name), selectionsOf)(selectionSet);
};

/** Measures a selection set. `inner` measures the selection set of a field in it, `spread` that of a fragment. */
type MeasureSet = (set: SelectionSetNode, inner: Measure, spread: (name: string) => number) => number;

function createMeasure(fragment: FragmentOf, measureSet: MeasureSet): Measure {
  const repeats = new Map<string, number>();
  const measure: Measure = (set) => measureSet(set, measure, spread);
  const spread = (name: string): number => {
    const figure = repeats.get(name);
    if (figure !== undefined) return figure;
    // Another rule refuses a fragment that spreads itself. Here the measurement only has to end.
    repeats.set(name, 0);
    const set = fragment(name);
    repeats.set(name, set ? measure(set) : 0);
    return repeats.get(name)!;
  };
  return measure;
}

const introspection: ReadonlySet<string> = new Set(['__schema', '__type']);

const depthOf: MeasureSet = ({ selections }, inner, spread) =>
  Math.max(
    0,
    ...selections.map((selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return inner(selection.selectionSet);
      if (selection.kind === Kind.FRAGMENT_SPREAD) return spread(selection.name.value);
      if (introspection.has(selection.name.value)) return 0;
      return 1 + (selection.selectionSet === undefined ? 0 : inner(selection.selectionSet));
    }),
  );

const selectionsOf: MeasureSet = ({ selections }, inner, spread) =>
  selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + 1 + spread(selection.name.value);
    return sum + 1 + (selection.selectionSet === undefined ? 0 : inner(selection.selectionSet));
  }, 0);

/** Returns the error for a document with too many tokens for the parser; undefined for any other error. */
export function tooManyTokens(error: unknown): GraphQLError | undefined {
  if (!(error instanceof GraphQLError) || !error.message.includes('tokens. Parsing aborted')) return undefined;
  return exceeded('tokens', countTokens(error.source?.body ?? ''));
}

/**
 * Returns the error for a document whose validation was aborted, because it selects too many fields of the same name,
 * which graphql-js compares in pairs. Undefined for any other error.
 */
export function tooManyRepeats(error: unknown): ApiError | undefined {
  if (!(error instanceof GraphQLError) || error.message !== 'Validation aborted.') return undefined;
  return new ApiError(
    'VALIDATION_FAILED',
    'This document selects the same fields too often to compare them with each other. Select each once.',
  );
}

/** Counts the tokens of a text, up to the first that cannot be read. */
function countTokens(body: string): number {
  const lexer = new Lexer(new Source(body));
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
  return count;
}
