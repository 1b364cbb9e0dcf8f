import { claimAmongMany } from './hook-claim.js';
import { drain } from './hook-drain.js';
import { ledger } from './hook-ledger.js';
import { steady } from './hook-steady.js';

/**
 * Measures hook delivery: a drain, compared with a raw loop and a job queue; a steady load, timed from the ingestion
 * call, with and without a hook that hangs; and a claim among a million deliveries. `drain`, `steady`, `hanging` and
 * `claim` run one part. `ledger --rows N` creates past deliveries (10,000,000) and queries them.
 */
export async function run([part, ...args]: readonly string[]): Promise<void> {
  if (part === 'ledger') return ledger(args);
  const wanted = (name: string) => part === undefined || part === name;
  if (wanted('drain')) await drain();
  if (wanted('steady')) await steady(false);
  if (wanted('hanging')) await steady(true);
  if (wanted('claim')) await claimAmongMany();
}
