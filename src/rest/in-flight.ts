import type { ServerResponse } from 'node:http';
import { rateLimited, tooLarge } from '../errors.js';
import type { Context } from '../schema/context.js';

/** Bytes that may be in memory at once of request bodies (decompressed); of answers twice as many. */
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
  body(caller: Caller, response: ServerResponse): Hold;
  /** An answer that is not fetched within {@link answerDeadline} is cut off. */
  answer(caller: Caller, response: ServerResponse): Hold;
}

/** Requests with fewer bytes than this are not counted: sockets hold as much anyway. */
const uncounted = 16 * 1024;

/** How long a client may take to fetch an answer, in milliseconds. */
const answerDeadline = 120_000;

/** The bytes in flight of a process. */
export const createInFlight = (limits: InFlightLimits): InFlight => {
  const openBody = createBudget(limits, { one: 'request body', many: 'request bodies' });
  // What searches may hold at once, one answer may have (docs/search.md: 64 MiB).
  const openAnswer = createBudget(doubled(limits), { one: 'answer', many: 'answers' });
  return {
    body: openBody,
    answer(caller, response) {
      const hold = openAnswer(caller, response);
      return (bytes) => {
        hold(bytes);
        if (bytes <= uncounted) return;
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
  return ({ tokenId, organizationId }: Caller, response: ServerResponse): Hold => {
    const scopes: readonly Scope[] = [
      { key: `token ${tokenId}`, limit: limits.perToken, whose: 'This token' },
      { key: `organization ${organizationId}`, limit: limits.perOrganization, whose: 'This organization' },
      { key: 'process', limit: limits.perProcess, whose: 'This service' },
    ];
    let total = 0;
    let counted = 0;
    return (bytes) => {
      total += bytes;
      if (total <= uncounted) return;
      for (const { key, limit, whose } of scopes) {
        if (total > limit)
          throw tooLarge(`This ${one} has ${mebibytes(total)}; at most ${mebibytes(limit)} may be held.`);
        const sum = (held.get(key) ?? 0) + total - counted;
        if (sum > limit)
          throw rateLimited(
            `${whose} would have ${mebibytes(sum)} of ${many} in flight; at most ${mebibytes(limit)} are held at once. Try again in 1 s.`,
            1,
          );
      }
      if (counted === 0)
        response.once('close', () => {
          for (const scope of scopes) add(scope, -counted);
        });
      for (const scope of scopes) add(scope, total - counted);
      counted = total;
    };
  };
};

const mebibytes = (bytes: number) => `${Math.ceil((bytes / 2 ** 20) * 10) / 10} MiB`;
