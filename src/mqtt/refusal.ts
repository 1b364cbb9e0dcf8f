import { Rejection, rejectionError } from '#records/item.js';
import { isAborted, toApiError } from '#schema/api-error.js';
import { PacketRefusal, ReasonCode, refusalFor } from './reason.js';

/**
 * Creates the function that translates any error into the refusal that a client gets.
 * @param report called with unexpected errors, which the client learns nothing about
 */
export const createRefusalOf =
  (isConnectionLoss: (error: unknown) => boolean, report: (error: unknown) => void) =>
  (error: unknown): PacketRefusal => {
    if (error instanceof PacketRefusal) return error;
    if (error instanceof Rejection) return refusalFor(rejectionError(error));
    if (isAborted(error)) return new PacketRefusal(ReasonCode.serverUnavailable, 'The service is stopping.', true);
    const known = toApiError(error, isConnectionLoss);
    if (known === undefined || known.status >= 500) report(error);
    return known === undefined
      ? new PacketRefusal(ReasonCode.unspecified, 'An unexpected error occurred.')
      : refusalFor(known);
  };
