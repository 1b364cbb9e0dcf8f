import sql, { empty, type Sql } from 'sql-template-tag';
import type { AlertSeverity } from '#entities/alert-rule.js';
import { EpisodeState } from '#entities/episode.js';
import { isId } from '#entities/id.js';
import { severityOrder } from './alert-rules.js';
import { ignoringCase } from './list.js';
import type { Listing } from './list-read.js';

/** Selects episodes, as `e`. `also` adds columns, after a comma. */
export const episodeRows = (also: Sql = empty): Sql => sql`
  select e.id, e.organization_id as "organizationId", e.application_id as "applicationId", e.rule_id as "alertRuleId",
         e.rule_name as name, e.severity, e.device_id as "deviceId", e.opened_at as "openedAt", e.opened_by as "openedBy", e.opened_reason as "openedReason", e.opened_state as "openedState",
         e.closed_at as "closedAt", e.closed_by as "closedBy", e.closed_reason as "closedReason",
         e.acknowledged_at as "acknowledgedAt", e.acknowledged_by as "acknowledgedBy"${also}
    from episode e`;

/** Number up to which episodes are counted. */
const countUpTo = 10_000;

/** Timeout of a page of episodes, in milliseconds. Those that match a filter may be few among many. */
const timeout = 5000;

/** Defines a list of episodes, the newest first. */
export const episodeListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also) => episodeRows(also),
  from: sql`from episode e`,
  where,
  matched: [sql`e.rule_name`],
  sortable: {
    id: sql`e.id`,
    name: ignoringCase(sql`e.rule_name`),
    // Open episodes come first.
    state: sql`(e.closed_at is not null)`,
    severity: severityOrder(sql`e.severity`),
    deviceId: sql`e.device_id`,
    openedAt: sql`e.opened_at`,
    closedAt: sql`e.closed_at`,
    acknowledgedAt: sql`e.acknowledged_at`,
  },
  order: sql`e.id`,
  descending: true,
  tie: sql`e.id`,
  countUpTo,
  timeout,
});

/** A filter of episodes. An episode must meet all given conditions. Times are Unix seconds of its opening. */
export interface EpisodeFilter {
  readonly state?: EpisodeState | null;
  readonly acknowledged?: boolean | null;
  readonly severity?: AlertSeverity | null;
  readonly alertRuleId?: string | null;
  readonly deviceId?: string | null;
  readonly from?: number | null;
  readonly to?: number | null;
}

/** Returns the conditions on `episode e` of a filter. An invalid identifier matches nothing. */
export const episodeConditions = (filter: EpisodeFilter): Sql[] => {
  const { state, acknowledged, severity, alertRuleId, deviceId, from, to } = filter;
  return [
    ...(state == null ? [] : [state === EpisodeState.open ? sql`e.closed_at is null` : sql`e.closed_at is not null`]),
    ...(acknowledged == null ? [] : [sql`(e.acknowledged_at is not null) = ${acknowledged}`]),
    ...(severity == null ? [] : [sql`e.severity = ${severity}`]),
    ...named(sql`e.rule_id`, alertRuleId),
    ...named(sql`e.device_id`, deviceId),
    ...(from == null ? [] : [sql`e.opened_at >= to_timestamp(${from}::float8)`]),
    ...(to == null ? [] : [sql`e.opened_at <= to_timestamp(${to}::float8)`]),
  ];
};

const named = (column: Sql, id: string | null | undefined): Sql[] =>
  id == null ? [] : [isId(id) ? sql`${column} = ${id}::uuid` : sql`false`];
