import type { ServerResponse } from 'node:http';
import { rateLimited, tooLarge } from '#common/errors.js';
import type { Context } from '#schema/context.js';
import type { Ending } from './ending.js';

/**
 * Limits of bytes in memory at once, for request bodies (decompressed) and for rows read. Answers may take twice as
 * many.
 */
export interface InFlightLimits {
  perProcess: number;
  perOrganization: number;
  perToken: number;
}

/**
 * Counts further bytes for one request, until its answer is closed.
 * @throws rateLimited when the token, its organization or the process holds too many bytes; tooLarge when this request
 * alone exceeds a limit.
 */
export type Hold = (bytes: number) => void;

type Caller = Pick<Context['caller'], 'tokenId' | 'organizationId'>;

/** Creates the counters of one request. */
export interface InFlight {
  body(caller: Caller, response: Ending): Hold;
  /** Counts rows that were read for a request, one byte per character. All reads of one request share a count. */
  rows(caller: Caller, response: Ending): Hold;
  /** Counts rows for one event of a subscription, each event by itself. */
  eventRows(): Hold;
  /** Counts what a streamed answer holds at a time. The sender makes sure that the client keeps reading. */
  stream(caller: Caller, response: ServerResponse): Hold;
  /** Counts an answer. An answer that the client does not fetch within {@link answerDeadline} is cut off. */
  answer(caller: Caller, response: ServerResponse): Hold;
}

/** Requests below this size in bytes are not counted, as socket buffers hold as much anyway. */
const uncounted = 16 * 1024;

/** Time that a client has to fetch an answer, in milliseconds. */
const answerDeadline = 120_000;

/** Creates the counters of bytes in flight for this process. */
export const createInFlight = (limits: InFlightLimits): InFlight => {
  const openBody = createBudget(limits, { one: 'This request body has', many: 'request bodies' });
  // Rows have the same limits as bodies: rows hold JSON, which takes up to ten times its size once parsed.
  const openRows = createBudget(limits, { one: 'The rows that this request reads have', many: 'rows' });
  // One answer may be as large as the memory that all searches may use together (docs/search.md: 64 MiB).
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
    let scopes: readonly Scope[] = [];
    let total = 0;
    let counted = 0;
    /**
     * Bytes not yet passed on to the scopes. Scopes are updated in steps of {@link uncounted} bytes, not for each value
     * of a row.
     */
    let pending = 0;
    return (bytes) => {
      total += bytes;
      pending += bytes;
      if (bytes > 0 && pending < uncounted) return;
      if (total <= uncounted) return;
      pending = 0;
      // Few requests come this far.
      if (scopes.length === 0)
        scopes = [
          { key: `token ${tokenId}`, limit: limits.perToken, whose: 'This token' },
          { key: `organization ${organizationId}`, limit: limits.perOrganization, whose: 'This organization' },
          { key: 'process', limit: limits.perProcess, whose: 'This service' },
        ];
      for (const { key, limit, whose } of scopes) {
        if (total > limit) throw tooLarge(`${one} ${mebibytes(total)}; at most ${mebibytes(limit)} may be held.`);
        const sum = (held.get(key) ?? 0) + total - counted;
        if (sum > limit)
          throw rateLimited(
            `${whose} would have ${mebibytes(sum)} of ${many} in flight; at most ${mebibytes(limit)} are held at once. Try again in 1 s.`,
            1,
          );
      }
      // Bytes that arrive after `close` are not counted, because nothing would release them.
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
    const known = opened.get(response);
    if (known !== undefined) return known;
    const hold = open(caller, response);
    opened.set(response, hold);
    return hold;
  };
};

const mebibytes = (bytes: number) => `${Math.ceil((bytes / 2 ** 20) * 10) / 10} MiB`;
