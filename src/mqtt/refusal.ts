import { Rejection, refusalOf } from '../records/item.js';
import { isAborted, toApiError } from '../schema/api-error.js';
import { Reason, Refusal, refusalFor } from './reason.js';

/**
 * Makes what says of any error what the client is told.
 * @param report takes what was not foreseen, of which the client learns nothing
 */
export const createRefusalOf =
  (isConnectionLoss: (error: unknown) => boolean, report: (error: unknown) => void) =>
  (error: unknown): Refusal => {
    if (error instanceof Refusal) return error;
    if (error instanceof Rejection) return refusalFor(refusalOf(error));
    if (isAborted(error)) return new Refusal(Reason.serverUnavailable, 'The service is stopping.', true);
    const known = toApiError(error, isConnectionLoss);
    if (known === undefined || known.status >= 500) report(error);
    return known === undefined ? new Refusal(Reason.unspecified, 'Something went wrong here.') : refusalFor(known);
  };
