import type { Request } from 'express';
import type { Log } from '../log.js';
import { isAborted, toApiError } from '../schema/api-error.js';
import { traceIdOf } from './trace-context.js';

/** Says in the log why a caller sees only INTERNAL or UNAVAILABLE. */
export type Report = (cause: unknown, request?: Request) => void;

/**
 * What is refused because something that the service needs is away, or took too long, is a warning with its reason; what nobody
 * foresaw is an error with its stack.
 */
export const createReport =
  (log: Log, isConnectionLoss: (error: unknown) => boolean): Report =>
  (cause, request) => {
    // What a caller who went away has aborted is no fault of ours.
    if (isAborted(cause)) return;
    const traceId = request && traceIdOf(request);
    const ids = { requestId: request?.res?.getHeader('X-Request-Id'), ...(traceId && { traceId }) };
    const refused = toApiError(cause, isConnectionLoss);
    if (refused?.cause instanceof Error) log.warn({ ...ids, reason: refused.cause.message }, refused.message);
    else if (refused) log.warn(ids, refused.message);
    else log.error({ err: cause, ...ids }, 'An error that was not foreseen.');
  };
