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
import { ApiError } from '../errors.js';

/** The most that one request may ask for. */
export const bounds = {
  /** Fields below each other, leaves included. */
  depth: 10,
  /** Selections of an operation, each fragment counted wherever it is spread. Each is compiled, and visited, anew. */
  selections: 2000,
  /** Aliases in a document. */
  aliases: 30,
  /** Directives in a document. */
  directives: 20,
  /** Tokens of a document. */
  tokens: 2000,
  /** Objects of one operation and of all operations of a batch: what each level of lists may have, and what comes. */
  cost: 25_000,
  /** Operations of a batch. */
  batch: 20,
  /** Bytes of a request. */
  bytes: 256 * 1024,
} as const;

/** What is counted, in words. */
type Bound = Exclude<keyof typeof bounds, 'bytes'>;

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

/** The error that says what was counted, how much is allowed and, by `advice`, what to do; answered with status 422. */
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
 * Validation rule: a document's depth, selections, aliases and directives. Introspection (`__schema`, `__type`) has no
 * depth. Each fragment is measured once, so that those that spread others twice do not double the work; the rules of
 * graphql-js do the same, but whatever follows validation need not.
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

/** Selections of an operation of a document without cycles, those of a fragment counted wherever it is spread. */
export const countSelections = (document: DocumentNode, { selectionSet }: OperationDefinitionNode): number => {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each.selectionSet] as const] : [],
    ),
  );
  return createMeasure((name) => fragments.get(name), selectionsOf)(selectionSet);
};

/** Measures a selection set: `inner` measures the selections of a field in it, `spread` a fragment. */
type MeasureSet = (set: SelectionSetNode, inner: Measure, spread: (name: string) => number) => number;

function createMeasure(fragment: FragmentOf, measureSet: MeasureSet): Measure {
  const repeats = new Map<string, number>();
  const measure: Measure = (set) => measureSet(set, measure, spread);
  const spread = (name: string): number => {
    const figure = repeats.get(name);
    if (figure !== undefined) return figure;
    // A fragment that spreads itself is refused by another rule; here it must only end.
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

/** The error for a document that has too many tokens for the parser; undefined where another fault stopped it. */
export function tooManyTokens(error: unknown): GraphQLError | undefined {
  if (!(error instanceof GraphQLError) || !error.message.includes('tokens. Parsing aborted')) return undefined;
  return exceeded('tokens', countTokens(error.source?.body ?? ''));
}

/**
 * The error for a document whose validation was given up: fields of one name are compared with each other, two by two.
 * Undefined where that was not the reason.
 */
export function tooManyRepeats(error: unknown): ApiError | undefined {
  if (!(error instanceof GraphQLError) || error.message !== 'Validation aborted.') return undefined;
  return new ApiError(
    'VALIDATION_FAILED',
    'This document selects the same fields too often to compare them with each other. Select each once.',
  );
}

/** Tokens as far as the text can be read as such. */
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
