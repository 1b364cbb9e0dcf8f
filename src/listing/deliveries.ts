import sql, { type Sql } from 'sql-template-tag';
import { notFound } from '#common/errors.js';
import type { Delivery, DeliveryState } from '#entities/delivery.js';
import { earliestId, endId, isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import type { DeliveriesBelowArgs } from '#schema/list.args.js';
import type { Listing } from './list-read.js';

/** Number up to which deliveries are counted (contract, section 8). */
const countUpTo = 10_000;

/** Keys of a delivery `d` in the order of lists. */
const cursorKeys: Sql = sql`, array[d.id::text] as "cursorKeys"`;

const rowsWith = (also: Sql): Sql => sql`
  select d.id, d.hook_id as "applicationHookId", d.device_id as "deviceId", d.record_id as "recordId",
         json_build_object('id', d.application_id, 'organizationId', d.organization_id) as application,
         extract(epoch from d.ts)::double precision as ts, d.max_attempts as "maxNumberAttempts",
         d.attempts_made as "attemptsMade", d.state = 'succeeded' as successful,
         d.created_at as "createdAt", d.updated_at as "updatedAt",
         case when d.request is not null then json_build_object('payload', d.payload, 'headers', d.request -> 'headers',
           'method', d.request -> 'method', 'uri', d.request -> 'uri') end as request,
         d.response, d.error, case when d.truncated then true end as truncated, d.attempts,
         case when not d.done and not exists (
           select from delivery_lease l where l.hook_id = d.hook_id and l.id = d.id) then d.next_attempt_at end as "nextAttemptAt"${also}
    from delivery d`;

/** Selects deliveries, as `d`. */
export const deliveryRows: Sql = rowsWith(cursorKeys);

/** The identifier contains the time of creation, so its index is in that order. */
const identifier = sql`d.id`;

/** Defines a list of deliveries, the newest first. */
export const deliveryListing = (where: readonly Sql[]): Listing => ({
  rows: (_selected, also = cursorKeys) => rowsWith(also),
  from: sql`from delivery d`,
  where,
  matched: [sql`(d.request -> 'uri' ->> 'href')`],
  sortable: {
    id: identifier,
    applicationHookId: sql`d.hook_id`,
    deviceId: sql`d.device_id`,
    ts: sql`d.ts`,
    maxNumberAttempts: sql`d.max_attempts`,
    attemptsMade: sql`d.attempts_made`,
    successful: sql`(d.state = 'succeeded')`,
    createdAt: identifier,
    updatedAt: sql`d.updated_at`,
  },
  order: identifier,
  descending: true,
  key: { columns: sql`d.hook_id, d.id`, matches: sql`d.hook_id = k.hook_id and d.id = k.id` },
  tie: identifier,
  countUpTo,
  onStandby: true,
  cursor: {
    kind: 'deliveries',
    shape: [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    after: ([id]) => sql`d.id < ${id}::uuid`,
  },
});

/** Timeout of a page of filtered deliveries, in milliseconds. Deliveries in some states are few among many. */
const filterTimeout = 10_000;

/** Defines the list of deliveries that the arguments of an edge select. */
export const deliveriesBelow = (where: readonly Sql[], args: DeliveriesBelowArgs): Listing => ({
  ...deliveryListing([...where, ...(args.state == null ? [] : standing[args.state]), ...storedWithin(args)]),
  ...(args.state != null && { timeout: filterTimeout }),
});

/** Conditions of each state, written like those of the partitions and their indexes. */
const standing: Readonly<Record<DeliveryState, readonly Sql[]>> = {
  pending: [sql`not d.done`],
  succeeded: [sql`d.done`, sql`d.state = 'succeeded'`],
  failed: [sql`d.done`, sql`d.state <> 'succeeded'`],
};

/**
 * Returns conditions on `delivery d`: it was stored within a time range. The conditions are on identifiers, whose index
 * contains the time.
 */
export const storedWithin = ({ from, to }: Pick<DeliveriesBelowArgs, 'from' | 'to'>): Sql[] => [
  ...(from == null ? [] : [sql`d.id >= ${earliestId(from)}`]),
  ...(to == null ? [] : [sql`d.id < ${endId(to)}`]),
];

/** Loads a delivery of a hook. The caller has loaded the hook and so may read its deliveries. */
export async function loadDelivery(ctx: Context, hookId: string, id: string): Promise<Delivery> {
  if (!isId(id)) throw notFound('delivery');
  const [row] = await ctx.read<Delivery>(sql`${deliveryRows} where d.hook_id = ${hookId} and d.id = ${id}`);
  if (row === undefined) throw notFound('delivery');
  return row;
}
