import type { ServerResponse } from 'node:http';
import { rateLimited, tooLarge } from '../errors.js';
import type { Context } from '../schema/context.js';
import type { Ending } from './ending.js';

/** Bytes that may be in memory at once of request bodies (decompressed), and of rows read; of answers twice as many. */
export interface InFlightLimits {
  perProcess: number;
  perOrganization: number;
  perToken: number;
}

/**
 * Counts more bytes for one request, until its answer is closed.
 * @throws rateLimited where the token, its organization or the process has too many; tooLarge where this request alone has.
 */
export type Hold = (bytes: number) => void;

type Caller = Pick<Context['caller'], 'tokenId' | 'organizationId'>;

/** Makes the counters of one request. */
export interface InFlight {
  body(caller: Caller, response: Ending): Hold;
  /** Rows that were read for a request, as many bytes as they have characters. What is read for one together counts together. */
  rows(caller: Caller, response: Ending): Hold;
  /** The same of rows for an event of a subscription, counted by themselves. */
  eventRows(): Hold;
  /** What an answer that is streamed holds at once; who sends it sees that it is fetched. */
  stream(caller: Caller, response: ServerResponse): Hold;
  /** An answer that is not fetched within {@link answerDeadline} is cut off. */
  answer(caller: Caller, response: ServerResponse): Hold;
}

/** Requests with fewer bytes than this are not counted: sockets hold as much anyway. */
const uncounted = 16 * 1024;

/** How long a client may take to fetch an answer, in milliseconds. */
const answerDeadline = 120_000;

/** The bytes in flight of a process. */
export const createInFlight = (limits: InFlightLimits): InFlight => {
  const openBody = createBudget(limits, { one: 'This request body has', many: 'request bodies' });
  // As for bodies: rows hold JSON, which takes up to ten times as much when it is parsed.
  const openRows = createBudget(limits, { one: 'The rows that this request reads have', many: 'rows' });
  // What searches may hold at once, one answer may have (docs/search.md: 64 MiB).
  const openAnswer = createBudget(doubled(limits), { one: 'This answer has', many: 'answers' });
  const cutOff = new WeakSet<ServerResponse>();
  return {
    body: openBody,
    rows: openRows,
    eventRows() {
      let total = 0;
      return (bytes) => {
        total += bytes;
        if (total > limits.perToken)
          throw tooLarge(
            `The rows that this event reads have ${mebibytes(total)}; at most ${mebibytes(limits.perToken)} may be held.`,
          );
      };
    },
    stream: openAnswer,
    answer(caller, response) {
      const hold = openAnswer(caller, response);
      return (bytes) => {
        hold(bytes);
        if (bytes <= uncounted || cutOff.has(response)) return;
        cutOff.add(response);
        const cut = setTimeout(() => response.destroy(), answerDeadline);
        response.once('close', () => clearTimeout(cut));
      };
    },
  };
};

const doubled = ({ perProcess, perOrganization, perToken }: InFlightLimits): InFlightLimits => ({
  perProcess: 2 * perProcess,
  perOrganization: 2 * perOrganization,
  perToken: 2 * perToken,
});

interface Scope {
  key: string;
  limit: number;
  whose: string;
}

const createBudget = (limits: InFlightLimits, { one, many }: { one: string; many: string }) => {
  const held = new Map<string, number>();
  const add = ({ key }: Scope, bytes: number) => {
    const sum = (held.get(key) ?? 0) + bytes;
    if (sum === 0) held.delete(key);
    else held.set(key, sum);
  };
  const opened = new WeakMap<Ending, Hold>();
  const open = ({ tokenId, organizationId }: Caller, response: Ending): Hold => {
    const scopes: readonly Scope[] = [
      { key: `token ${tokenId}`, limit: limits.perToken, whose: 'This token' },
      { key: `organization ${organizationId}`, limit: limits.perOrganization, whose: 'This organization' },
      { key: 'process', limit: limits.perProcess, whose: 'This service' },
    ];
    let total = 0;
    let counted = 0;
    /** What is not passed on to the scopes yet: they are asked a few times, not for each value of a row. */
    let pending = 0;
    return (bytes) => {
      total += bytes;
      pending += bytes;
      if (bytes > 0 && pending < uncounted) return;
      if (total <= uncounted) return;
      pending = 0;
      for (const { key, limit, whose } of scopes) {
        if (total > limit) throw tooLarge(`${one} ${mebibytes(total)}; at most ${mebibytes(limit)} may be held.`);
        const sum = (held.get(key) ?? 0) + total - counted;
        if (sum > limit)
          throw rateLimited(
            `${whose} would have ${mebibytes(sum)} of ${many} in flight; at most ${mebibytes(limit)} are held at once. Try again in 1 s.`,
            1,
          );
      }
      // What comes after the end is nobody's, and nothing would give it back.
      if (response.closed) return;
      if (counted === 0)
        response.once('close', () => {
          for (const scope of scopes) add(scope, -counted);
        });
      for (const scope of scopes) add(scope, total - counted);
      counted = total;
    };
  };
  return (caller: Caller, response: Ending): Hold => {
    const hold = opened.get(response) ?? open(caller, response);
    opened.set(response, hold);
    return hold;
  };
};

const mebibytes = (bytes: number) => `${Math.ceil((bytes / 2 ** 20) * 10) / 10} MiB`;
