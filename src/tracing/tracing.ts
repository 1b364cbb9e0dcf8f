import type { RequestHandler } from 'express';
import type { FollowStatement } from '../database/follow-statement.js';
import type { TraceCall } from '../hooks/dispatcher.js';
import type { TraceGroup } from '../records/postgres/log/store.js';

/** Makes spans of what this process does, and sends them to a collector. What it makes of other work is never delayed by that. */
export interface Tracing {
  /** Handles each request within a span of its own, a child of that of the caller's `traceparent`. */
  requests: RequestHandler;
  /** A span for each statement that is sent while a request is handled. */
  statement: FollowStatement;
  /** A span for each group of calls that is stored together. */
  group: TraceGroup;
  /** A span for each call of a hook, in the trace of the request that stored its delivery. */
  call: TraceCall;
  /** Sends what is still to be sent, within two seconds, and ends. */
  close(): Promise<void>;
}
