const lost = new Set([
  // The socket.
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  // SQLSTATE (PostgreSQL, appendix A): connection exceptions, no resources, no room on the disk, no memory, too many
  // connections, shut down, crashed, starting up, dropped, idle for too long.
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '53000',
  '53100',
  '53200',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
]);

const sentences =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout e(xpired|xceeded)|Cannot use a pool after)/;

/** Whether an error says that the database could not be reached, broke off or has no room, not that a statement was wrong. */
export function isConnectionLoss(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && lost.has(code)) return true;
  // An unreachable host name with several addresses: every attempt's error is inside.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLoss);
  return typeof message === 'string' && sentences.test(message);
}
