import type pg from 'pg';
import sql from 'sql-template-tag';
import { named } from '../named.js';
import { insert } from './enqueue.js';
import type { ChosenEvent } from './message.js';

/** An event of an application, for the hooks that chose its kind. */
export interface HookEvent {
  kind: ChosenEvent;
  organizationId: string;
  applicationId: string;
  deviceId: string | null;
  /** Unix seconds. */
  ts: number | null;
  /** Body of the call. */
  payload: object;
}

interface Chooser {
  id: string;
  applicationId: string;
  ordered: boolean;
  events: string[];
}

/**
 * Stores a delivery of each event for every enabled hook of its application that chose the kind, in the caller's
 * transaction. Returns the hooks that got some. Filters are about records, and hold back no event.
 */
export async function enqueueEvents(
  tx: Pick<pg.ClientBase, 'query'>,
  events: readonly HookEvent[],
  { now, maxAttempts }: { now: number; maxAttempts: number },
): Promise<ReadonlySet<string>> {
  const applications = [...new Set(events.map(({ applicationId }) => applicationId))];
  const kinds = [...new Set(events.map(({ kind }) => kind))];
  const query = sql`
    select id, application_id "applicationId", ordered, events from hook
     where application_id = any(${applications}::uuid[]) and events && ${kinds}::text[] and not disabled`;
  const { rows } = await tx.query<Chooser>(named('event hooks', query));
  const byApplication = Map.groupBy(rows, ({ applicationId }) => applicationId);
  const deliveries = events.flatMap(({ kind, organizationId, applicationId, deviceId, ts, payload }) =>
    (byApplication.get(applicationId) ?? [])
      .filter((hook) => hook.events.includes(kind))
      .map(({ id, ordered }) => ({
        hookId: id,
        application: { id: applicationId, organizationId },
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
