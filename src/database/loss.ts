/** What Node.js says of a socket to a server that is not there, broke off, or cannot be opened. */
const ofSockets = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ETIMEDOUT',
]);

/**
 * SQLSTATEs (PostgreSQL, appendix A), some by their class: connection exceptions; no room on the disk, no memory, too many
 * connections; the server shuts down, crashed, starts up; its files or its disk fail; it takes no writes, as a standby does;
 * it ended a connection whose transaction took too long for its settings.
 */
const ofServers = ['08', '53', '57P', '58', '25006', '25P03', '25P04'];

const sentences =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout e(xpired|xceeded)|Query read timeout|Received unexpected \w+ message|Cannot use a pool after)/;

/**
 * Whether an error says that the database could not be reached, broke off or has no room, not that a statement was wrong: what
 * was asked may succeed later as it is.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && (ofSockets.has(code) || ofServers.some((state) => isOf(state, code)))) return true;
  // An unreachable host name with several addresses: every attempt's error is inside.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLoss);
  return typeof message === 'string' && sentences.test(message);
}

/** Whether a code is a SQLSTATE, which has five characters, that begins so. */
const isOf = (state: string, code: string): boolean => code.length === 5 && code.startsWith(state);
