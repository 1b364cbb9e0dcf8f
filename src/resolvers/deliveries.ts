import sql, { type Sql } from 'sql-template-tag';
import type { Delivery, DeliveryState } from '../entities/delivery.js';
import { earliestId, endId, isId } from '../entities/id.js';
import { notFound } from '../errors.js';
import type { Context } from '../schema/context.js';
import type { DeliveriesBelowArgs } from '../schema/list.args.js';
import type { Listing } from './listing.js';

/** Deliveries are counted up to this number (contract, section 8). */
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

/** Deliveries, as `d`. */
export const deliveryRows: Sql = rowsWith(cursorKeys);

/** It carries the time when the delivery was made, so the index is in that order. */
const identifier = sql`d.id`;

/** A list of deliveries, newest first. */
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
  cursor: {
    kind: 'deliveries',
    shape: [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    after: ([id]) => sql`d.id < ${id}::uuid`,
  },
});

/** How long a page of deliveries of a filter may take, in milliseconds: those of some states are few among many. */
const filterTimeout = 10_000;

/** The deliveries that the arguments of an edge choose. */
export const deliveriesBelow = (where: readonly Sql[], args: DeliveriesBelowArgs): Listing => ({
  ...deliveryListing([...where, ...(args.state == null ? [] : standing[args.state]), ...storedWithin(args)]),
  ...(args.state != null && { timeout: filterTimeout }),
});

/** Written as the partitions and their indexes have it. */
const standing: Readonly<Record<DeliveryState, readonly Sql[]>> = {
  pending: [sql`not d.done`],
  succeeded: [sql`d.done`, sql`d.state = 'succeeded'`],
  failed: [sql`d.done`, sql`d.state <> 'succeeded'`],
};

/** Conditions on `delivery d`: it was stored in a stretch of time. Times are those of identifiers, which the index has. */
export const storedWithin = ({ from, to }: Pick<DeliveriesBelowArgs, 'from' | 'to'>): Sql[] => [
  ...(from == null ? [] : [sql`d.id >= ${earliestId(from)}`]),
  ...(to == null ? [] : [sql`d.id < ${endId(to)}`]),
];

/** A delivery of a hook that the caller has loaded, and so may see. */
export async function loadDelivery(ctx: Context, hookId: string, id: string): Promise<Delivery> {
  if (!isId(id)) throw notFound('delivery');
  const [row] = await ctx.read<Delivery>(sql`${deliveryRows} where d.hook_id = ${hookId} and d.id = ${id}`);
  if (row === undefined) throw notFound('delivery');
  return row;
}
