import { Rejection, refusalOf } from '#records/item.js';
import { isAborted, toApiError } from '#schema/api-error.js';
import { Reason, Refusal, refusalFor } from './reason.js';

/**
 * Creates the function that translates any error into the refusal that a client gets.
 * @param report called with unexpected errors, which the client learns nothing about
 */
export const createRefusalOf =
  (isConnectionLoss: (error: unknown) => boolean, report: (error: unknown) => void) =>
  (error: unknown): Refusal => {
    if (error instanceof Refusal) return error;
    if (error instanceof Rejection) return refusalFor(refusalOf(error));
    if (isAborted(error)) return new Refusal(Reason.serverUnavailable, 'The service is stopping.', true);
    const known = toApiError(error, isConnectionLoss);
    if (known === undefined || known.status >= 500) report(error);
    return known === undefined ? new Refusal(Reason.unspecified, 'An unexpected error occurred.') : refusalFor(known);
  };
