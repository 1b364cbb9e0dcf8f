import type { GraphQLFormattedError } from 'graphql';
import { z } from 'zod';
import { ApiError, type ErrorCode, type Fault } from '#common/errors.js';
import type { Ask } from '#graph/in-process.js';
import { maxCursor } from './cursor.js';

/** A part of a list. The answer contains as many of its items as fit. */
export interface ListPart {
  readonly items: readonly unknown[];
  /** Position after each item, at which the list continues. */
  readonly positions: readonly string[];
  /** Position after the last item, if more items follow. */
  readonly next?: string | undefined;
  /** Further fields of the answer. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** The means by which a tool answers a call. */
export interface ToolCall {
  readonly organizationId: string;
  /** Runs a query of the graph and returns its answer with its errors. */
  readonly ask: Ask;
  /** Position at which the answer continues; undefined in the first call. */
  readonly position: string | undefined;
}

/** A tool of the endpoint for assistants. */
export interface Tool<Args extends object = object> {
  readonly name: string;
  readonly title: string;
  /** Description for the client. It is the same for every caller and contains nothing that a tenant wrote. */
  readonly description: string;
  readonly input: z.ZodType<Args>;
  /** Name of the list in the answer. */
  readonly list: string;
  /** Fields of the answer. */
  readonly output: z.ZodRawShape;
  /** Whether answers hold texts and payloads that devices and people wrote. */
  readonly isUntrusted: boolean;
  run(args: Args, call: ToolCall): Promise<ListPart>;
}

/** Checks a tool's types. Its arguments are parsed by its own schema before it runs. */
export const tool = <Args extends object>(definition: Tool<Args>): Tool => definition as unknown as Tool;

/** Declares the arguments of a tool. An unknown argument is refused. */
export const input = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({
    ...shape,
    cursor: z
      .string()
      .max(maxCursor)
      .optional()
      .describe('Cursor of the part to answer: the `cursor` of the previous answer, with the same arguments.'),
  });

/** Declares an identifier. */
export const id = (description: string) => z.string().min(1).max(100).describe(description);

/** Declares a time, which becomes Unix seconds. Without a zone, a text is refused: it could mean any. */
export const time = (description: string) =>
  z
    .union([z.number(), z.string().max(35)])
    .refine((value) => !Number.isNaN(secondsOf(value)), {
      error: 'must be a time with a zone, such as 2026-11-25T22:00:00Z, or Unix seconds',
    })
    .transform(secondsOf)
    .describe(`${description} ISO 8601 with a zone, such as 2026-11-25T22:00:00Z, or Unix seconds.`);

/** Returns a time in Unix seconds; NaN when a text is no time with a zone. */
const secondsOf = (value: number | string): number => {
  if (typeof value === 'number') return value;
  return /T[\d:.,]+(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(value) ? Date.parse(value) / 1000 : Number.NaN;
};

/** Declares a nullable field of an answer. */
export const text = (description: string) => z.string().nullable().describe(description);

/**
 * Runs a query and returns its data.
 * @param optional name of a field that is null without an error for callers who may not see it.
 * @throws ApiError the first error of its answer.
 */
export async function readData<Data>(
  { ask }: ToolCall,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  optional?: string,
): Promise<Data> {
  const { data, errors } = await ask({ query, variables });
  const isExpected = ({ path, extensions }: GraphQLFormattedError) =>
    optional !== undefined && path?.at(-1) === optional && extensions?.['code'] === 'FORBIDDEN';
  const failure = failureOf(errors?.filter((error) => !isExpected(error)));
  if (failure !== undefined) throw failure;
  return data as Data;
}

/** Returns the first error of an answer of the graph as it would be thrown; undefined when there is none. */
export function failureOf([error]: readonly GraphQLFormattedError[] = []): ApiError | undefined {
  if (error === undefined) return undefined;
  const { code, errors: faults } = error.extensions ?? {};
  return new ApiError((code ?? 'INTERNAL') as ErrorCode, error.message, faults as readonly Fault[] | undefined);
}
