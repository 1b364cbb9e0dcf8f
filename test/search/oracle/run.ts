import { nextPage } from './page.js';
import type { Plain } from './plain.js';
import { type Ask, type Compared, hasTwoFaults, shrunk, signature } from './shrink.js';

/** Options of one run. */
export interface Run {
  /** Number of queries to compare, including pages after the first. Queries that cannot be compared do not count. */
  readonly cases: number;
  /** Returns the next query. */
  readonly body: () => Plain;
  /** Asks both sides, through the endpoint with milliseconds or with seconds. */
  readonly ask: (millis: boolean) => Ask;
  /** Whether to report only the smallest query for each kind of difference, or every query. */
  readonly byKind: boolean;
  /** Receives the progress, and each kind of difference when it is found. */
  readonly say: (line: string) => void;
}

/** A kind of difference: the smallest query that shows it, and the number of queries that do. */
export interface Kind {
  readonly body: Plain;
  readonly different: readonly string[];
  count: number;
}

const batch = 100;
const pages = 3;

/** Compares all queries, also after differences. Only the first of each kind is shrunk. */
export const run = async ({ cases, body, ask, byKind, say }: Run): Promise<Kind[]> => {
  const found = new Map<string, Kind>();
  const skipped = { argued: 0, 'no answer': 0 };
  let held = 0;
  for (let round = 0; held < cases; round += 1) {
    const both = ask(round % 2 === 1);
    let bodies = Array.from({ length: Math.min(batch, cases - held) }, body);
    for (let page = 0; page < pages && bodies.length > 0 && held < cases; page += 1) {
      const compared = await both(bodies.slice(0, cases - held));
      for (const one of compared) {
        if (one.skipped === undefined) held += 1;
        else skipped[one.skipped] += 1;
        if (one.skipped === 'no answer') say(`no answer from the engine: ${JSON.stringify(one.body)}`);
        if (one.different.length === 0) continue;
        if (byKind) await add(found, one, both, say);
        else put(found, `${found.size}`, one, say);
      }
      bodies = compared.flatMap((one) => {
        const next = one.different.length > 0 || one.skipped ? undefined : nextPage(one.body, one.ours);
        return next === undefined ? [] : [next];
      });
    }
    const { argued, 'no answer': silent } = skipped;
    say(
      `${held} of ${cases} compared: ${found.size} kinds of difference; besides ${argued} argued, ${silent} unanswered`,
    );
  }
  return [...found.values()];
};

const add = async (found: Map<string, Kind>, one: Compared, both: Ask, say: Run['say']): Promise<void> => {
  const known = found.get(signature(one));
  if (known !== undefined) {
    known.count += 1;
    return;
  }
  if (await hasTwoFaults(one, both)) return;
  const small = await shrunk(one, both);
  if (await hasTwoFaults(small, both)) return;
  put(found, signature(small), small, say);
};

const put = (found: Map<string, Kind>, kind: string, { body, different }: Compared, say: Run['say']): void => {
  found.set(kind, { body, different, count: 1 });
  say(`${JSON.stringify(body)}\n  ${different.slice(0, 3).join('\n  ')}`);
};
