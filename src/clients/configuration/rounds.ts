import { isNew, type Token } from './names.js';
import type { Step } from './plan.js';

/** A step, and the key that its thing gets. */
export interface KeyedStep {
  step: Step;
  key: string;
}

/**
 * Orders the puts of things with keys, so that each key is free before another thing takes it. In a circle, one thing
 * first gets a key that nobody wants.
 * @returns rounds to put one after the other
 */
export function roundsOf(
  steps: readonly Step[],
  stored: readonly { id: string; externalId: string | null }[],
): KeyedStep[][] {
  const holders = new Map(stored.flatMap(({ id, externalId }) => (externalId === null ? [] : [[externalId, id]])));
  const rounds: KeyedStep[][] = [];
  const freed = new Set<Token>();
  let left = [...steps];
  while (left.length > 0) {
    const holding = new Set(left.map(({ token }) => token).filter((token) => !freed.has(token)));
    const waits = ({ key, token }: Step) => {
      const holder = holders.get(key);
      return holder !== undefined && holder !== token && holding.has(holder);
    };
    const ready = left.filter((step) => !waits(step));
    const [first] = left;
    if (ready.length > 0) rounds.push(ready.map((step) => ({ step, key: step.key })));
    else {
      rounds.push([{ step: first!, key: spareKey(first!) }]);
      freed.add(first!.token);
    }
    left = left.filter((step) => ready.length === 0 || waits(step));
  }
  return rounds;
}

/** Returns the puts of a dry run, which changes no keys: a thing whose key is not free yet is put under another. */
export function dryRoundsOf(...given: Parameters<typeof roundsOf>): KeyedStep[][] {
  const steps = new Map<Token, KeyedStep>();
  roundsOf(...given).forEach((round, index) => {
    for (const { step, key } of round) steps.set(step.token, { step, key: index === 0 ? key : spareKey(step) });
  });
  return [[...steps.values()]];
}

/** Returns a key that no thing of a file has. */
const spareKey = ({ token }: Step): string => `~${token}`.slice(0, 200);

/** Returns the identifier of a stored thing, so that the call changes this thing even if another has the key now. */
export const idOf = ({ token }: Step): { id: string | null } => ({ id: isNew(token) ? null : token });
