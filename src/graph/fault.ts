import { GraphQLError, type Token, TokenKind } from 'graphql';
import type { Fault } from '#common/errors.js';

/**
 * Returns the dotted path of the argument or variable that has an invalid value, and the reason. Undefined for errors
 * that are not about a value. graphql-js reports the value with its line and, for a variable, the name.
 */
export function faultOf(error: unknown): Fault | undefined {
  if (!(error instanceof GraphQLError)) return undefined;
  const { message, nodes } = error;
  const [, variable, rest = ''] = /^Variable "\$(\w+)" got invalid value ([^]*)$/.exec(message) ?? [];
  if (variable !== undefined) {
    const [, at = variable] = / at "(\w+(?:\.\w+)*)";/.exec(rest) ?? [];
    return { path: at, message: reasonOf(error) };
  }
  const node = nodes?.[0];
  if (node?.loc === undefined || !node.kind.endsWith('Value')) return undefined;
  const path = pathOf(node.loc.startToken);
  return path === '' ? undefined : { path, message: reasonOf(error) };
}

/** Returns a scalar's own message about the value, without the text that graphql-js puts before it. */
const reasonOf = ({ message, originalError }: GraphQLError): string => originalError?.message ?? message;

const openers: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_L, TokenKind.BRACE_L, TokenKind.BRACKET_L]);
const closers: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_R, TokenKind.BRACE_R, TokenKind.BRACKET_R]);

/**
 * Returns the path of a value: the name of its argument, then those of the object fields that contain it. The names are
 * found in the tokens before the value.
 */
function pathOf(value: Token): string {
  const names: string[] = [];
  for (let opener: Token | undefined = value; opener !== undefined; opener = openerOf(opener)) {
    if (opener.kind === TokenKind.PAREN_L) break;
    const before: Token | null = opener.prev;
    if (before?.kind === TokenKind.COLON && before.prev?.kind === TokenKind.NAME) names.unshift(before.prev.value);
  }
  return names.join('.');
}

/** Returns the bracket that encloses a token. */
function openerOf(token: Token): Token | undefined {
  let depth = 0;
  for (let before = token.prev; before !== null; before = before.prev) {
    if (closers.has(before.kind)) depth += 1;
    else if (openers.has(before.kind) && depth-- === 0) return before;
  }
  return undefined;
}
