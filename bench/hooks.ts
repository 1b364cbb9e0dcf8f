import { claimAmongMany } from './hook-claim.js';
import { drain } from './hook-drain.js';
import { ledger } from './hook-ledger.js';
import { steady } from './hook-steady.js';

/**
 * Hook delivery: a drain against a raw loop and a queue, a steady load from the ingest call on with and without a hook that
 * hangs, a claim among a million. `drain`, `steady`, `hanging` and `claim` do one part; `ledger --rows N` makes so many
 * deliveries of the past (10,000,000) and asks for them.
 */
export async function run([part, ...args]: readonly string[]): Promise<void> {
  if (part === 'ledger') return ledger(args);
  const wanted = (name: string) => part === undefined || part === name;
  if (wanted('drain')) await drain();
  if (wanted('steady')) await steady(false);
  if (wanted('hanging')) await steady(true);
  if (wanted('claim')) await claimAmongMany();
}
