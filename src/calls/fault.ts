import { errors } from 'undici';

/** Reason why a call got no answer (contract, section 11). */
export type FaultCode = 'BLOCKED' | 'DNS' | 'REFUSED' | 'TLS' | 'TIMEOUT' | 'RESET' | 'PROTOCOL';

/** A call that got no answer. */
export class CallFault extends Error {
  /**
   * @param ours whether the fault lies on this service's side; the call then counts as an attempt, but never against
   * the receiver
   */
  constructor(
    readonly code: FaultCode,
    message: string,
    readonly ours = false,
  ) {
    super(message);
    this.name = 'CallFault';
  }
}

/** Calls may not go to the address. */
export const blocked = (address: string) =>
  new CallFault('BLOCKED', `The address ${address} is not one that this service may call.`, true);

/**
 * The deadline of the whole call passed.
 * @param heldUp whether this process itself was stalled for a part of it
 */
export const timedOut = (milliseconds: number, heldUp: boolean) =>
  new CallFault(
    'TIMEOUT',
    `There was no answer within ${milliseconds / 1000} s${heldUp ? ', in which this service itself was held up' : ''}.`,
    heldUp,
  );

const codes: Record<string, readonly [FaultCode, string]> = {
  ENOTFOUND: ['DNS', 'The host name does not exist.'],
  ECONNREFUSED: ['REFUSED', 'The connection was refused.'],
  EHOSTUNREACH: ['REFUSED', 'The host cannot be reached.'],
  ETIMEDOUT: ['TIMEOUT', 'The connection was not made in time.'],
  UND_ERR_CONNECT_TIMEOUT: ['TIMEOUT', 'The connection was not made in time.'],
  ECONNRESET: ['RESET', 'The connection was reset.'],
  ECONNABORTED: ['RESET', 'The connection was reset.'],
  EPIPE: ['RESET', 'The connection was reset.'],
  UND_ERR_SOCKET: ['RESET', 'The connection was closed before the answer was complete.'],
  UND_ERR_HEADERS_OVERFLOW: ['PROTOCOL', "The answer's headers are too large."],
};

/** Error codes that point to this machine rather than the receiver. */
const oursByCode: Record<string, readonly [FaultCode, string]> = {
  EAI_AGAIN: ['DNS', 'The name service did not answer.'],
  ENETUNREACH: ['REFUSED', 'This service has no route to the address.'],
  ENETDOWN: ['REFUSED', "This service's network is down."],
  EMFILE: ['REFUSED', 'This service could not open a connection.'],
  ENFILE: ['REFUSED', 'This service could not open a connection.'],
  ENOBUFS: ['REFUSED', 'This service could not open a connection.'],
  EADDRNOTAVAIL: ['REFUSED', 'This service could not open a connection.'],
};

const isTls = (code: string) =>
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO)/.test(
    code,
  );

/** Translates an error of the HTTP client, the system or TLS into a fault. */
export function faultOf(error: unknown): CallFault {
  if (error instanceof CallFault) return error;
  const code = codeOf(error);
  const own = oursByCode[code];
  if (own) return new CallFault(...own, true);
  if (isSocket(error, 'bad response'))
    return new CallFault('PROTOCOL', 'The receiver sent 100 Continue without being asked.');
  if (isSocket(error, 'bad upgrade'))
    return new CallFault('PROTOCOL', 'The receiver changed the protocol without being asked.');
  const described = codes[code];
  if (described) return new CallFault(...described);
  if (code.startsWith('EAI_')) return new CallFault('DNS', 'The host name could not be resolved.');
  if (isTls(code)) return new CallFault('TLS', `The secure connection could not be made (${code}).`);
  return new CallFault('PROTOCOL', 'The answer is not HTTP.');
}

/**
 * undici gives up the connection at a 100 without `Expect` and at a 101, and identifies them by these messages only.
 */
const isSocket = (error: unknown, words: string) => error instanceof errors.SocketError && error.message === words;

/** Returns the code of an error. For several addresses tried at once (happy eyeballs), returns the first one's. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'errors' in error && Array.isArray(error.errors) ? codeOf(error.errors[0]) : '';
}
