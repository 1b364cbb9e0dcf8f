import sql, { empty, type Sql } from 'sql-template-tag';
import type { AuditOutcome } from '#entities/audit-event.js';
import { earliestId, endId, isId } from '#entities/id.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

/** Selects events of the audit log, as `e`. `also` adds columns, after a comma. */
export const auditEventRows = (also: Sql = empty): Sql => sql`
  select e.id, e.organization_id as "organizationId", audit_time(e.id) as at, e.action, e.outcome, e.request_id as "requestId", e.address,
         json_build_object('kind', e.actor_kind, 'actorId', e.actor_id, 'name', e.actor_name, 'userId', e.user_id,
                           'userName', e.user_name) as actor,
         case when e.target_kind is not null
              then json_build_object('kind', e.target_kind, 'targetId', e.target_id, 'name', e.target_name) end as target,
         (select coalesce(json_agg(json_build_object('field', c.key, 'before', c.value -> 0, 'after', c.value -> 1)), '[]')
            from json_each(e.changes) c) as changes${also}
    from audit_event e`;

/** Number up to which events are counted. */
const countUpTo = 10_000;

/** Timeout of a page of events, in milliseconds. Those that match a filter may be few among many. */
const timeout = 5000;

/** Defines a list of events, the newest first. */
export const auditEventListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also) => auditEventRows(also),
  from: sql`from audit_event e`,
  where,
  matched: [sql`e.action`, sql`e.actor_name`, sql`e.user_name`, sql`e.target_name`],
  sortable: {
    id: sql`e.id`,
    at: sql`e.id`,
    action: ignoringCase(sql`e.action`),
    outcome: sql`e.outcome`,
    requestId: sql`e.request_id`,
    address: sql`e.address`,
  },
  order: sql`e.id`,
  descending: true,
  tie: sql`e.id`,
  countUpTo,
  timeout,
});

/** A filter of events. An event must meet all given conditions. Times are Unix seconds. */
export interface AuditFilter {
  readonly actor?: string | null;
  readonly action?: string | null;
  readonly target?: string | null;
  readonly outcome?: AuditOutcome | null;
  readonly from?: number | null;
  readonly to?: number | null;
}

/**
 * Returns the conditions on `audit_event e` of a filter. They compare times with the identifiers, so that PostgreSQL
 * skips partitions.
 */
export const auditConditions = ({ actor, action, target, outcome, from, to }: AuditFilter): Sql[] => [
  ...(actor == null
    ? []
    : [
        isId(actor)
          ? sql`(e.actor_id = ${actor}::uuid or e.user_id = ${actor}::uuid)`
          : sql`lower(${actor}) in (lower(e.actor_name), lower(e.user_name))`,
      ]),
  ...(action == null ? [] : [sql`e.action = ${action}`]),
  ...(target == null
    ? []
    : [
        isId(target)
          ? sql`e.target_id = ${target}::uuid`
          : sql`(e.target_kind = ${target} or lower(e.target_name) = lower(${target}))`,
      ]),
  ...(outcome == null ? [] : [sql`e.outcome = ${outcome}`]),
  ...(from == null ? [] : [sql`e.id >= ${earliestId(from)}::uuid`]),
  ...(to == null ? [] : [sql`e.id < ${endId(to)}::uuid`]),
];
