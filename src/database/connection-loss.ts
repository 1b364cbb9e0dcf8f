/** Error codes of Node.js for sockets that cannot be opened, broke off, or have no server. */
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
 * SQLSTATEs (PostgreSQL, appendix A), some by class: connection exceptions; no disk space, no memory, too many
 * connections; the server shuts down, has crashed or starts up; its files or disk fail; it takes no writes, like a
 * standby; it ended a connection because of a transaction timeout.
 */
const ofServers = ['08', '53', '57P', '58', '25006', '25P03', '25P04'];

const sentences =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout e(xpired|xceeded)|Query read timeout|Received unexpected \w+ message|Cannot use a pool after)/;

/**
 * Whether an error means that the database could not be reached, broke off or has no room, as opposed to a wrong
 * statement. The same statement may then succeed later.
 */
export function isConnectionLoss(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && (ofSockets.has(code) || ofServers.some((state) => isOf(state, code)))) return true;
  // For a host name with several addresses, the errors of all attempts are inside.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLoss);
  return typeof message === 'string' && sentences.test(message);
}

/** Whether a code is a SQLSTATE (five characters) that begins with `state`. */
const isOf = (state: string, code: string): boolean => code.length === 5 && code.startsWith(state);
