import type { Request } from 'express';
import type { Log } from '../log.js';
import { isAborted, toApiError } from '../schema/api-error.js';
import { traceIdOf } from './trace-context.js';

/** Says in the log why a caller sees only INTERNAL or UNAVAILABLE. */
export type Report = (cause: unknown, request?: Request) => void;

/** What a part of the service refuses because something that it needs is away is a warning; what nobody foresaw has its cause. */
export const createReport =
  (log: Log): Report =>
  (cause, request) => {
    // What a caller who went away has aborted is no fault of ours.
    if (isAborted(cause)) return;
    const traceId = request && traceIdOf(request);
    const ids = { requestId: request?.res?.getHeader('X-Request-Id'), ...(traceId && { traceId }) };
    const refused = toApiError(cause, () => false);
    if (refused?.code === 'UNAVAILABLE') log.warn(ids, refused.message);
    else log.error({ err: cause, ...ids }, 'An error that was not foreseen.');
  };
