import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { LogLevel } from './config.js';

/** Writes structured lines: one JSON object each, with level, time and message. */
export type Log = Logger;

/**
 * Makes the logger. It writes to stderr, so that stdout stays for what a command answers. Should a header or a secret
 * get into a line after all, its value is left out.
 * @param worker number of the worker that writes, on each of its lines
 */
export const createLog = (
  level: LogLevel,
  to: DestinationStream = destination({ fd: 2, sync: true }),
  worker?: number,
): Log =>
  pino(
    {
      level,
      base: worker === undefined ? null : { worker },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths(), censor: '[redacted]' },
    },
    to,
  );

/** Names whose values never belong in a log, at the top of a line and one or two levels down. */
function secretPaths(): string[] {
  const names = ['authorization', 'cookie', 'token', 'password', 'pass', 'secret', 'secretKey', 'signingSecret'];
  return names.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
}
