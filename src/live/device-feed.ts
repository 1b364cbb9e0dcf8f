import sql, { type Sql } from 'sql-template-tag';
import { clockSkew, currentSnapshot, unseen, wholeXid } from '#database/visibility.js';
import { Role } from '#entities/enums.js';
import { firstId } from '#entities/id.js';
import { createFeed, type Feed } from './feed.js';
import {
  type CommittedRow,
  type FeedQuestion,
  type FeedShared,
  pageSize,
  type Subscriber,
  visibleRows,
} from './feed-options.js';

/** A subscriber to the devices of an organization that change. It gets their identifiers. */
export interface DeviceSubscriber extends Subscriber<string> {
  /** Member that the token is bound to, if any. Only devices that its teams let it read are published to it. */
  readonly userId: string | null;
  /** Restricts the subscription to one device. */
  readonly deviceId?: string;
}

interface DeviceRow extends CommittedRow<string> {
  organizationId: string;
  /** Subscribed members who can read the device. */
  readers: readonly string[];
}

interface StoredRow {
  id: string;
  xid: string;
  organizationId: string;
  readers: string[] | null;
}

/**
 * Creates the feed of devices. It publishes a device when it is registered or changed. No notices are sent for devices:
 * the full poll of every second finds them.
 */
export const createDeviceFeed = (shared: FeedShared): Feed<string, DeviceSubscriber> =>
  createFeed<string, DeviceRow, DeviceSubscriber>({
    ...shared,
    onDemand: () => undefined,
    remembered: 0,
    async read(question, pool) {
      const { text, values } = devicesQuery(question);
      const { rows } = await pool.query<StoredRow>({ text, values });
      return rows.map(({ id, xid, organizationId, readers }) => ({
        key: `${id} ${xid}`,
        cursor: id,
        xid,
        organizationId,
        readers: readers ?? [],
        item: id,
        size: 200,
      }));
    },
    sort: (rows, subscribers) => visibleRows(rows, subscribers, canSee),
  });

const canSee = ({ claim, userId, deviceId }: DeviceSubscriber, { item, readers }: DeviceRow): boolean =>
  (deviceId === undefined || deviceId === item) &&
  (claim.role === Role.owner || (userId !== null && readers.includes(userId)));

const devicesQuery = (question: FeedQuestion<DeviceSubscriber>): Sql => {
  const xid = wholeXid(sql`d.xmin`);
  const { subscribers, since, after } = question;
  const organizations = [...new Set(subscribers.map(({ organizationId }) => organizationId))];
  const members = [...new Set(subscribers.flatMap(({ userId }) => userId ?? []))];
  return sql`
    select f.*, r.readers from ${currentSnapshot} cross join lateral (
      select d.id, ${xid}::text as xid, d.organization_id as "organizationId" from device d
       where d.organization_id = any(${organizations}::uuid[]) and d.updated_at >= ${new Date(since - clockSkew)}
         and d.id > ${after ?? firstId(0)}::uuid and ${unseen(xid, question)}
       order by d.id limit ${pageSize}::int) f
     cross join lateral (
       select array_agg(distinct tm.user_id::text) as readers
         from application_device ad join team_application ta using (application_id) join team_member tm using (team_id)
        where ad.device_id = f.id and tm.user_id = any(${members}::uuid[])) r
     order by f.id`;
};
