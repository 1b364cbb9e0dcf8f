import type { Request, RequestHandler } from 'express';
import { malformed } from '#common/errors.js';
import { orMalformed } from '#http/body.js';
import { keepExact, parsePlain } from '#json/plain.js';
import type { Context } from '#schema/context.js';
import { bounds } from './document-limit.js';

/** Reads the body of a caller's request as text of at most `bytes` bytes; '' when the request has none. */
export type ReadBody = (request: Request, caller: Context['caller'], bytes: number) => Promise<string>;

/**
 * Creates the handler that reads JSON bodies into `request.body`. Numbers become JavaScript numbers; where that loses
 * digits, the original text is kept for the scalar `ExactJSON`. A body of another type is left to Apollo, which refuses
 * it.
 */
export const createBodyReader =
  (read: ReadBody, callerOf: (request: Request) => Context['caller']): RequestHandler =>
  async (request, _response, next) => {
    if (request.is('application/json')) {
      const text = await read(request, callerOf(request), bounds.bytes);
      if (text !== '') request.body = parse(text);
    }
    next();
  };

function parse(text: string): unknown {
  const body = orMalformed(() => parseJson(text));
  if (typeof body !== 'object' || body === null) throw malformed('The body must be a JSON object or array.');
  orMalformed(() => keepExact(text, body));
  return body;
}

/** Parses JSON. The error for other text names the place, which that of `JSON.parse` does not. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parsePlain(text);
  }
}
