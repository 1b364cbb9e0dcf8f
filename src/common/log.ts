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
      redact: { paths: secretPaths(), censor },
    },
    to,
  );

/** Names whose values must never be logged. */
const secretNames = ['authorization', 'cookie', 'token', 'password', 'pass', 'secret', 'secretKey', 'signingSecret'];
const censor = '[redacted]';

/** Returns the secret names at the top level of a line and one or two levels below. */
const secretPaths = (): string[] => secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * Derives the logger of lines that hold no objects. It redacts the top level only, which costs 3 us a line; looking two
 * levels deep costs 35 us.
 */
export const flatLog = (log: Log): Log => log.child({}, { redact: { paths: secretNames, censor } });
