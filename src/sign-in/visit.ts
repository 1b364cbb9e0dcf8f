import type { Request, Response } from 'express';
import type { Visitor } from './sessions.js';

/** A request to a sign-in page, with the data that its handlers need. */
export interface Visit {
  request: Request;
  response: Response;
  /** Origin of the service as the browser sees it. */
  origin: string;
  query: URLSearchParams;
  visitor: Visitor;
}

/** Handlers of a path, by the verb of the request. */
export type Handlers = Partial<Record<'get' | 'post', (visit: Visit) => Promise<void> | void>>;
