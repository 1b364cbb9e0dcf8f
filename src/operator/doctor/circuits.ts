import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { type DoctorCheck, finding } from './finding.js';

/** Maximum number of hooks that are listed; those that have failed longest come first. */
const named = 20;

/** Finds hooks that are temporarily or permanently not called. */
export const checkCircuits: DoctorCheck = async (database, now) => {
  const { rows } = await database.query<{ open: number; off: number }>(sql`
    select (select count(*) from hook_state where circuit_until > ${now}::timestamptz)::int as open,
      (select count(*) from hook where disabled and disabled_reason is not null)::int as off`);
  const { open, off } = rows[0]!;
  const faults = [
    ...(open > 0 ? [`${open} hooks fail and are called only now and then (open circuit).`] : []),
    ...(off > 0 ? [`${off} hooks were switched off because they kept failing.`] : []),
  ];
  const hooks = await failingHooks(database);
  if (faults.length === 0 && hooks.length > 0) faults.push('Hooks have not succeeded since their circuit opened.');
  const found = finding('circuits', 'none is open', 'note', faults);
  return hooks.length === 0 ? found : { ...found, details: hooks.map(lineOf) };
};

interface FailingHook {
  id: string;
  applicationId: string;
  application: string;
  url: string;
  /** Reason for the switch-off: `failing`, `gone`; null when the circuit is open. */
  reason: string | null;
  failures: number;
  since: string | null;
  last: string | null;
}

/**
 * Searches the last attempt among the newest deliveries and the oldest waiting ones only, so that the cost does not
 * depend on the number of deliveries.
 */
const failingHooks = async (database: Queryable): Promise<FailingHook[]> =>
  (
    await database.query<FailingHook>(sql`
      select h.id, h.application_id as "applicationId", a.name as application, h.url,
             case when h.disabled then h.disabled_reason end as reason, s.failures_in_row as failures,
             coalesce(s.failing_since, h.disabled_at) as since, l.last
        from hook h join hook_state s on s.hook_id = h.id join application a on a.id = h.application_id
        left join lateral (
          select coalesce(t.error ->> 'code', t.response ->> 'statusCode') as last
            from ((select attempts_made, updated_at, error, response from delivery d
                    where d.hook_id = h.id order by d.id desc limit 50)
                  union all
                  (select attempts_made, updated_at, error, response from delivery_open d
                    where d.hook_id = h.id order by d.id limit 50)) t
           where t.attempts_made > 0 order by t.updated_at desc limit 1) l on true
       where s.circuit_openings > 0 or (h.disabled and h.disabled_reason is not null)
       order by since nulls last, h.id limit ${named}`)
  ).rows;

const lineOf = ({ id, applicationId, application, url, reason, failures, since, last }: FailingHook): string => {
  const what =
    reason === 'gone'
      ? 'switched off, its receiver answered 410'
      : reason === null
        ? `circuit open, ${failures} calls in a row failed`
        : 'switched off, it kept failing';
  const latest = last === null ? '' : `, the last one with ${last}`;
  const from = since === null ? '' : `, since ${new Date(since).toISOString()}`;
  return `hook ${id} of the application "${application}" (${applicationId}) to ${addressOf(url)}: ${what}${latest}${from}`;
};

/** Returns scheme, host and port. Path and query of a webhook's address are often secret. */
const addressOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'an address that cannot be read');
