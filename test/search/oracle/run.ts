import type { Plain } from './compare.js';
import { nextPage } from './page.js';
import { type Ask, type Compared, hasTwoFaults, shrunk, signature } from './shrink.js';

/** What one run does. */
export interface Run {
  /** How many bodies are asked, pages after the first among them. */
  readonly cases: number;
  /** Makes the next body. */
  readonly body: () => Plain;
  /** Asks both sides, through the door where ours has milliseconds or the one where it has seconds. */
  readonly ask: (millis: boolean) => Ask;
  /** Is told how far the run is, and each kind of difference as it is found. */
  readonly say: (line: string) => void;
}

/** A kind of difference: the smallest body found that shows it, and how many of all bodies do. */
export interface Kind {
  readonly body: Plain;
  readonly different: readonly string[];
  count: number;
}

const batch = 100;
const pages = 3;

/** Asks both sides all bodies, also after differences: of each kind only the first is made small. */
export const run = async ({ cases, body, ask, say }: Run): Promise<Kind[]> => {
  const found = new Map<string, Kind>();
  let asked = 0;
  for (let round = 0; asked < cases; round += 1) {
    const both = ask(round % 2 === 1);
    let bodies = Array.from({ length: Math.min(batch, cases - asked) }, body);
    for (let page = 0; page < pages && bodies.length > 0; page += 1) {
      const compared = await both(bodies.slice(0, cases - asked));
      asked += compared.length;
      for (const one of compared.filter(({ different }) => different.length > 0)) await add(found, one, both, say);
      bodies = compared.flatMap((one) => {
        const next = one.different.length > 0 ? undefined : nextPage(one.body, one.ours);
        return next === undefined ? [] : [next];
      });
    }
    say(`${asked} of ${cases} bodies asked, ${found.size} kinds of difference`);
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
  const { body, different } = small;
  found.set(signature(small), { body, different, count: 1 });
  say(`${JSON.stringify(body)}\n  ${different.slice(0, 3).join('\n  ')}`);
};
