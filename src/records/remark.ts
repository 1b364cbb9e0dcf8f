import type { AppendResult } from './record-log.js';

const maxLength = 500;

/**
 * Describes what a call did not store, in a sentence for its sender or the log that names the rejected devices; at most
 * 500 characters. Returns undefined if nothing was rejected.
 */
export const remarkOf = ({ results, rejected }: AppendResult, length: number): string | undefined => {
  const faults = results.flatMap((result) => (result.status === 'rejected' ? [result] : []));
  if (faults.length === 0) return undefined;
  const messages = [...new Set(faults.map(({ error }) => error.message))].join(' ');
  return `${rejected} of ${length} records were not stored; the first, at ${faults[0]!.index}: ${messages}`.slice(
    0,
    maxLength,
  );
};
