import type { RequestHandler } from 'express';
import type { FollowStatement } from '#database/follow-statement.js';
import type { TraceCall } from '#hooks/dispatcher.js';
import type { TraceGroup } from '#records/postgres/log/store.js';

/** Creates spans of the work of this process and sends them to a collector. Sending never delays the work. */
export interface Tracing {
  /** Handles each request within a span, a child of the span in the caller's `traceparent`. */
  requests: RequestHandler;
  /** Creates a span for each statement that is sent while a request is handled. */
  statement: FollowStatement;
  /** Creates a span for each group of calls that is stored together. */
  group: TraceGroup;
  /** Creates a span for each call of a hook, in the trace of the request that stored the delivery. */
  call: TraceCall;
  /** Sends the remaining spans within two seconds, then closes. */
  close(): Promise<void>;
}
