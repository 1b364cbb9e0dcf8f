import type { Sql } from 'sql-template-tag';
import { type Alerts, type AlertsOptions, createAlerts } from '#alerts/alerts.js';
import type { Mailer } from '#alerts/mail/mailer.js';
import { createRecheck } from '#auth/recheck.js';
import { createOutgoingCaller } from '#calls/caller.js';
import { clientOf } from '#database/client.js';
import { createNetwork, type Network } from '#downlink/network/network.js';
import { createHooks, type Hooks } from '#hooks/hooks.js';
import { deliveryRows } from '#listing/deliveries.js';
import { episodeRows } from '#listing/episodes.js';
import { createLive, type Live } from '#live/live.js';
import type { Base } from './services-options.js';

/* Opens the parts that publish stored records: live data, hooks and alerts. */

export function openLive({ connections, connectionString, log, bus, place }: Base): Live {
  const { livePool, liveSlowPool } = connections;
  return createLive({
    pool: livePool,
    slowPool: liveSlowPool,
    connectionString,
    Client: clientOf(connectionString),
    log,
    bus,
    recheck: createRecheck(
      async <Row extends object>(query: Sql) => (await livePool.query<object>(query)).rows as Row[],
    ),
    match: (queries, organizationId, committed, timeoutMs) => {
      const some = committed.map(({ id, ts, deviceId, productId }) => ({
        id,
        ts,
        device: { id: deviceId, organizationId, ...(productId && { product: { id: productId } }) },
      }));
      return place.stored.matchCommitted(queries, some, timeoutMs);
    },
    changes: place.stored.changes,
    deliveryRows,
    episodeRows,
  });
}

export function openHooks(base: Base): Hooks {
  const { connections, place, config, clock, random, log, secretKeys, registry, tracing, bus } = base;
  const { allowCidrs, denyCidrs, retrySchedule, timeout, httpsOnly, deliveryRetention, lookups } = config.hooks;
  const { match, scan, count } = place.stored;
  return createHooks({
    pool: connections.pool,
    dispatcherPool: connections.dispatcherPool,
    clock,
    random,
    log,
    secretKeys,
    schedule: retrySchedule,
    timeout,
    addresses: { allow: allowCidrs, deny: denyCidrs },
    httpsOnly,
    retention: deliveryRetention,
    match,
    lookups,
    trace: tracing?.call,
    scan,
    count,
    registry,
    onChange: (deliveries) => bus.emit('deliveries', deliveries),
  });
}

/** Opens the network: the calls to network servers share the guard and the secrets of the hooks. */
export function openNetwork(base: Base, { guard, vault }: Hooks): Network {
  const { connections, config, bus, log, clock, random } = base;
  const { httpsOnly, timeout, retrySchedule: schedule } = config.hooks;
  const caller = createOutgoingCaller({ guard, httpsOnly, timeout });
  return createNetwork({ pool: connections.pool, caller, vault, bus, log, schedule, timeout, clock, random });
}

export function openAlerts(
  { connections, place, clock, log, registry, maxUndecided }: Base,
  { enqueue, outbox }: Hooks,
  mail: Mailer | undefined,
): Alerts {
  const { decide: match, decideCommitted, newestBefore } = place.stored;
  const matchCommitted: AlertsOptions['matchCommitted'] = async (query, records, timeoutMs) =>
    (await decideCommitted([query], records, timeoutMs))[0]!;
  const { pool } = connections;
  const ofRecords = { match, matchCommitted, newestBefore };
  return createAlerts({ pool, clock, log, registry, ...ofRecords, enqueue, outbox, mail, maxUndecided });
}
