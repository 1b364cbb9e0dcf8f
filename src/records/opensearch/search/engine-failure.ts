import { maxBuckets, SearchFailure, tooManyBuckets } from '#search/search-failure.js';
import type { EngineAnswer, EngineFault } from '../engine.js';

/**
 * Converts an error of the engine to the failure of its query. Errors of the query itself are found earlier, so these
 * errors are about the engine's limits.
 */
export const failureOf = ({ status, error }: EngineAnswer): SearchFailure => {
  const faults = innermost(error);
  const buckets = faults.find(({ type }) => type === 'too_many_buckets_exception');
  if (buckets !== undefined) return tooManyBuckets(countIn(buckets.reason) ?? maxBuckets + 1);
  const clauses = faults.find(
    ({ type, reason = '' }) => /too_many_(nested_)?clauses/.test(type ?? '') || /maxClauseCount/.test(reason),
  );
  if (clauses !== undefined)
    return new SearchFailure(
      400,
      'illegal_argument_exception',
      'Query contains too many nested clauses for the cluster that has the records; ask for less at once',
    );
  const [fault] = faults;
  if (
    status === 429 ||
    faults.some(({ type }) => type === 'circuit_breaking_exception' || type === 'es_rejected_execution_exception')
  )
    return new SearchFailure(
      429,
      fault?.type ?? 'rejected_execution_exception',
      'The cluster that has the records is too busy for this query',
    );
  if (status >= 500)
    return new SearchFailure(
      503,
      'search_phase_execution_exception',
      'The cluster that has the records cannot answer this query now',
    );
  // A caller never sees the engine's own words: they name places instead of fields.
  return new SearchFailure(
    400,
    fault?.type ?? 'illegal_argument_exception',
    'The cluster that has the records refused this query',
  );
};

const innermost = (fault: EngineFault | undefined): EngineFault[] => {
  if (fault === undefined) return [];
  const causes = [
    ...(fault.failed_shards ?? []).flatMap(({ reason }) => innermost(reason)),
    ...innermost(fault.caused_by),
    ...(fault.root_cause ?? []),
  ];
  return [...causes, fault];
};

const countIn = (reason = ''): number | undefined => {
  const [, count] = /but was \[(\d+)\]/.exec(reason) ?? [];
  return count === undefined ? undefined : Number(count);
};
