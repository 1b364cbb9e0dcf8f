import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { LogLevel } from '#config/config.js';

/** A logger that writes one JSON object per line, with level, time and message. */
export type Log = Logger;

/**
 * Creates the logger. It writes to stderr, as stdout is for the output of commands. If a header or a secret gets into a
 * line by mistake, its value is redacted.
 * @param worker number of the worker, written on each of its lines.
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

/** Returns the names whose values must never be logged, at the top level of a line and one or two levels below. */
function secretPaths(): string[] {
  const names = ['authorization', 'cookie', 'token', 'password', 'pass', 'secret', 'secretKey', 'signingSecret'];
  return names.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
}
