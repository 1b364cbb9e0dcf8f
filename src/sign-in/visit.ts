import type { Request, Response } from 'express';
import type { Visitor } from './sessions.js';

/** A request of signing in, with what each of its handlers needs. */
export interface Visit {
  request: Request;
  response: Response;
  /** Origin of the service as the browser sees it. */
  origin: string;
  query: URLSearchParams;
  visitor: Visitor;
}
