import type { Request } from 'express';
import type { Log } from '#common/log.js';
import { isAborted, toApiError } from '#schema/api-error.js';
import { traceIdOf } from './request-id.js';

/** Logs the reason why a caller sees only INTERNAL or UNAVAILABLE. */
export type Report = (cause: unknown, request?: Request) => void;

/**
 * Creates the report. A refusal because a dependency is unavailable or took too long is logged as a warning with its
 * reason; an unexpected error is logged with its stack.
 */
export const createReport =
  (log: Log, isConnectionLoss: (error: unknown) => boolean): Report =>
  (cause, request) => {
    // A call that the client aborted is not a fault of the service.
    if (isAborted(cause)) return;
    const traceId = request && traceIdOf(request);
    const ids = { requestId: request?.res?.getHeader('X-Request-Id'), ...(traceId && { traceId }) };
    const refused = toApiError(cause, isConnectionLoss);
    if (refused?.cause instanceof Error) log.warn({ ...ids, reason: refused.cause.message }, refused.message);
    else if (refused) log.warn(ids, refused.message);
    else log.error({ err: cause, ...ids }, 'Unexpected error');
  };
