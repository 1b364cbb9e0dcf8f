import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { Queryable } from '#database/queryable.js';
import { insert } from './enqueue.js';
import type { ChosenEvent } from './message.js';

/** An event of an application or an organization, sent to the hooks that chose its kind. */
export interface HookEvent {
  kind: ChosenEvent;
  organizationId: string;
  /** Null for the hooks of all applications of the organization. */
  applicationId: string | null;
  /** Hook that the event is about. That hook is not called. */
  aboutHookId?: string | null;
  deviceId: string | null;
  /** Unix seconds. */
  ts: number | null;
  /** Body of the call. */
  payload: object;
}

interface Chooser {
  id: string;
  organizationId: string;
  applicationId: string;
  ordered: boolean;
  events: string[];
}

/**
 * Stores a delivery of each event for every enabled hook of its application or organization that chose the kind, in the
 * caller's transaction. Filters concern records only, so they hold back no event. Returns the hooks that got
 * deliveries.
 */
export async function enqueueEvents(
  tx: Queryable,
  events: readonly HookEvent[],
  { now, maxAttempts }: { now: number; maxAttempts: number },
): Promise<ReadonlySet<string>> {
  const organizations = [...new Set(events.map(({ organizationId }) => organizationId))];
  const kinds = [...new Set(events.map(({ kind }) => kind))];
  const query = sql`
    select id, organization_id "organizationId", application_id "applicationId", ordered, events from hook
     where organization_id = any(${organizations}::uuid[]) and events <> '{record}' and events && ${kinds}::text[]
       and not disabled`;
  const { rows } = await tx.query<Chooser>(namedStatement('event hooks', query));
  const byOrganization = Map.groupBy(rows, (hook) => hook.organizationId);
  const deliveries = events.flatMap(({ kind, organizationId, applicationId, aboutHookId, deviceId, ts, payload }) =>
    (byOrganization.get(organizationId) ?? [])
      .filter(
        (hook) =>
          hook.events.includes(kind) &&
          hook.id !== aboutHookId &&
          (applicationId === null || hook.applicationId === applicationId),
      )
      .map(({ id, ordered, applicationId: of }) => ({
        hookId: id,
        application: { id: of, organizationId },
        deviceId,
        recordId: null,
        event: kind,
        ts,
        orderingKey: ordered ? deviceId : null,
        payload: JSON.stringify(payload),
        traceparent: null,
      })),
  );
  if (deliveries.length > 0) await insert(tx, deliveries, now, maxAttempts);
  return new Set(deliveries.map(({ hookId }) => hookId));
}

/** Maximum number of notices that one transaction claims. */
const noticesAtOnce = 500;

interface Notice {
  kind: ChosenEvent;
  organizationId: string;
  applicationId: string | null;
  hookId: string | null;
  at: number;
  subject: Subject;
}

/** Subject of a noted event: a device or a hook, or a command or part of a state with its device. */
type Subject = { id: string } | { about: object; device: { id: string } };

/** SQL condition: a trigger has noted an event that has no deliveries yet. */
export const noticeWaits = sql`exists (select from event_notice)`;

/**
 * Claims a batch of the events that triggers noted about devices, hooks, commands and states. Returns them in the order in which they
 * were noted.
 */
export async function claimNotices(tx: Queryable): Promise<HookEvent[]> {
  const { rows } = await tx.query<Notice>(sql`
    with claimed as (
      delete from event_notice where id in (
        select id from event_notice order by id limit ${noticesAtOnce} for update skip locked) returning *)
    select kind, organization_id "organizationId", application_id "applicationId", hook_id "hookId",
           extract(epoch from at)::float8 at, subject
      from claimed order by id`);
  return rows.map((notice) => {
    const { kind, organizationId, applicationId, hookId, at, subject } = notice;
    const application = { id: applicationId, organizationId };
    const event = { kind, organizationId, applicationId, aboutHookId: hookId, ts: at };
    if (hookId !== null) return { ...event, deviceId: null, payload: { hook: subject, application } };
    if ('id' in subject) return { ...event, deviceId: subject.id, payload: { device: subject } };
    const { about, device } = subject;
    const payload = { [subjects[kind] ?? 'about']: withoutNulls(about), device: withoutNulls(device), application };
    return { ...event, deviceId: device.id, payload };
  });
}

/** Names of what events with a device are about, in the bodies of calls. */
const subjects: Partial<Record<ChosenEvent, string>> = { 'command.updated': 'command', 'state.diverged': 'state' };

const withoutNulls = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
