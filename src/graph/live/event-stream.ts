import { once } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError, getOperationAST, OperationTypeNode, parse } from 'graphql';
import { malformed } from '#common/errors.js';
import type { Context } from '#schema/context.js';
import { bounds } from '../document-limit.js';
import { type ClientOperation, Ended, type Subscriptions } from './subscription.js';

/** Interval between two comments, in milliseconds. They keep proxies from closing an idle connection. */
const keepAlive = 12_000;
/** Time after which a client that reads nothing is disconnected, in milliseconds. */
const drainTimeout = 60_000;

/**
 * Serves subscriptions over HTTP as text/event-stream (GraphQL over Server-Sent Events protocol, distinct connections
 * mode), for operations with `Accept: text/event-stream`. A client that accepts JSON as well gets JSON for every
 * operation that is not a subscription.
 */
export const createEventStream =
  (subscriptions: Subscriptions, callerOf: (request: Request) => Context['caller']): RequestHandler =>
  async (request, response, next) => {
    const { accept = '' } = request.headers;
    if (!/\btext\/event-stream\b/i.test(accept)) return next();
    const operation = operationOf(request);
    const kind = kindOf(operation);
    if (kind !== OperationTypeNode.SUBSCRIPTION && /application\/|\*\/\*/i.test(accept)) return next();
    if (kind !== undefined && kind !== OperationTypeNode.SUBSCRIPTION) {
      throw malformed(
        'Only subscriptions are answered as text/event-stream: accept application/json for other operations.',
      );
    }
    const visitor = { caller: callerOf(request), request, connection: request };
    const opened = await subscriptions.open(operation, visitor);
    if (response.destroyed) return 'results' in opened ? void (await opened.results.return(undefined)) : undefined;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    if ('errors' in opened) return void response.end(eventOf({ errors: opened.errors }) + complete);
    const { results } = opened;
    response.once('close', () => void results.return(undefined));
    const beat = setInterval(() => response.writableNeedDrain || response.write(':\n\n'), keepAlive);
    try {
      for await (const result of results) await send(response, eventOf(result));
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      await send(response, eventOf({ errors: error.errors }));
    } finally {
      clearInterval(beat);
    }
    response.end(complete);
  };

const eventOf = (result: object): string => `event: next\ndata: ${JSON.stringify(result)}\n\n`;
const complete = 'event: complete\ndata:\n\n';

/** Sends a text, then waits until the client has read enough of what was sent (back-pressure). */
async function send(response: Response, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const drained = once(response, 'drain').catch(() => undefined);
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  const timer = setTimeout(() => response.destroy(), drainTimeout);
  await Promise.race([drained, gone]);
  clearTimeout(timer);
}

function operationOf({ method, body, originalUrl }: Request): ClientOperation {
  if (method === 'POST') return typeof body === 'object' && body !== null ? (body as ClientOperation) : {};
  const { searchParams } = new URL(originalUrl, 'http://localhost');
  const { variables, ...rest } = Object.fromEntries(searchParams);
  if (variables === undefined) return rest;
  try {
    return { ...rest, variables: JSON.parse(variables) };
  } catch {
    throw malformed('`variables` is not JSON.');
  }
}

/** Returns the kind of an operation; undefined when it cannot be read. */
function kindOf({ query, operationName }: ClientOperation): OperationTypeNode | undefined {
  if (typeof query !== 'string') return undefined;
  try {
    const name = typeof operationName === 'string' ? operationName : undefined;
    const operation = getOperationAST(parse(query, { maxTokens: bounds.tokens, noLocation: true }), name);
    return operation?.operation;
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
