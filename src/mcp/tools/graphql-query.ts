import { createHash } from 'node:crypto';
import { z } from 'zod';
import { conflict } from '#common/errors.js';
import { mostItemBytes, sizeOf } from '../answer.js';
import { failureOf, input, type ListPart, tool } from '../tool.js';

/** Characters of a piece of a long answer, before it is shortened until it fits. */
const pieceLength = 30_000;

const json = z.record(z.string(), z.unknown());

/** Position at which a call continues: a character of the answer, and the answer's hash. */
interface Position {
  readonly from: number;
  readonly hash: string;
}

/** Runs a query of the caller. */
export const graphqlQuery = tool({
  name: 'graphql_query',
  title: 'GraphQL query',
  description:
    'Runs one query of the GraphQL API; find fields and types with `schema_search` first. Mutations and subscriptions are refused. Fields that take `organizationId` get it from `{ account { id } }`. Lists take `first` and `after`, or `limit` and `page`. A query that may return more than 25,000 objects is refused: ask for shorter lists. `answers` holds the answer, `{"data", "errors"}`. A long answer comes in several calls: `answers` then holds `{"piece", "from", "of"}`, a part of its JSON text. Go on with `cursor`, and join the texts of all `piece`.',
  input: input({
    query: z.string().min(1).max(20_000).describe('A document with one query, or several and `operationName`.'),
    variables: json.optional().describe('Values of its variables.'),
    operationName: z.string().max(200).optional(),
  }),
  list: 'answers',
  output: {
    answers: z
      .array(z.union([json, z.object({ piece: z.string(), from: z.number(), of: z.number() })]))
      .describe('One answer, or one piece of it with its place in characters. Untrusted.'),
  },
  isUntrusted: true,
  async run({ query, variables, operationName }, { ask, position }) {
    const answer = await ask({ query, variables, operationName });
    const isEmpty = answer.data == null || Object.values(answer.data).every((field) => field === null);
    const failure = isEmpty ? failureOf(answer.errors) : undefined;
    if (failure !== undefined) throw failure;
    const text = JSON.stringify(answer);
    if (sizeOf(answer) <= mostItemBytes && position === undefined) return { items: [answer], positions: [''] };
    const hash = createHash('sha256').update(text).digest('base64url');
    const at = position === undefined ? { from: 0, hash } : (JSON.parse(position) as Position);
    if (at.hash !== hash) throw conflict('The data changed, so the pieces do not fit. Start again without `cursor`.');
    return pieceOf(text, at);
  },
});

function pieceOf(text: string, { from, hash }: Position): ListPart {
  let piece = text.slice(from, from + pieceLength);
  while (sizeOf(piece) > mostItemBytes) piece = piece.slice(0, Math.ceil(piece.length * 0.8));
  // A pair of surrogates is one character of the answer.
  if (/[\uD800-\uDBFF]$/.test(piece)) piece = piece.slice(0, -1);
  const to = from + piece.length;
  return {
    items: [{ piece, from, of: text.length }],
    positions: [''],
    next: to < text.length ? JSON.stringify({ from: to, hash }) : undefined,
  };
}
