import { GraphQLError, type Token, TokenKind } from 'graphql';
import type { Fault } from '../errors.js';

/**
 * Which argument or variable a wrong value was given for, as its dotted path, and what is wrong; undefined for errors that
 * are not about a value. graphql-js tells the value and its line, and of variables the name.
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

/** What a scalar says of the value, without what graphql-js says before it. */
const reasonOf = ({ message, originalError }: GraphQLError): string => originalError?.message ?? message;

const openers: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_L, TokenKind.BRACE_L, TokenKind.BRACKET_L]);
const closers: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_R, TokenKind.BRACE_R, TokenKind.BRACKET_R]);

/** Names of the argument and of the fields of objects that a value stands in, by the tokens before it. */
function pathOf(value: Token): string {
  const names: string[] = [];
  for (let opener: Token | undefined = value; opener !== undefined; opener = openerOf(opener)) {
    if (opener.kind === TokenKind.PAREN_L) break;
    const before: Token | null = opener.prev;
    if (before?.kind === TokenKind.COLON && before.prev?.kind === TokenKind.NAME) names.unshift(before.prev.value);
  }
  return names.join('.');
}

/** The bracket that a token stands in. */
function openerOf(token: Token): Token | undefined {
  let depth = 0;
  for (let before = token.prev; before !== null; before = before.prev) {
    if (closers.has(before.kind)) depth += 1;
    else if (openers.has(before.kind) && depth-- === 0) return before;
  }
  return undefined;
}
