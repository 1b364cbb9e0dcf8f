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

/** A subscriber to the commands of an organization. It gets their identifiers. */
export interface CommandSubscriber extends Subscriber<string> {
  /** Member that the token is bound to, if any. Only commands to devices that its teams let it read are published. */
  readonly userId: string | null;
  /** Restricts the subscription to commands to these devices. */
  readonly deviceIds?: ReadonlySet<string>;
}

interface CommandRow extends CommittedRow<string> {
  organizationId: string;
  deviceId: string;
  /** Applications that the device is linked to, among those of the subscriptions. */
  applications: readonly string[];
  /** Subscribed members who can read the device. */
  readers: readonly string[];
}

interface StoredRow {
  id: string;
  xid: string;
  organizationId: string;
  deviceId: string;
  state: string;
  stateAt: string;
  applications: string[] | null;
  readers: string[] | null;
}

/**
 * Creates the feed of commands. It publishes a command when it is sent and when its state changes. No notices are sent
 * for commands: the full poll of every second finds them.
 */
export const createCommandFeed = (shared: FeedShared): Feed<string, CommandSubscriber> =>
  createFeed<string, CommandRow, CommandSubscriber>({
    ...shared,
    onDemand: () => undefined,
    // Handing a command over again writes a new version of its row without a visible change.
    remembered: 60_000,
    async read(question, pool) {
      const { text, values } = commandsQuery(question);
      const { rows } = await pool.query<StoredRow>({ text, values });
      return rows.map(({ id, xid, organizationId, deviceId, state, stateAt, applications, readers }) => ({
        key: `${id} ${state} ${stateAt}`,
        cursor: id,
        xid,
        organizationId,
        deviceId,
        applications: applications ?? [],
        readers: readers ?? [],
        item: id,
        size: 200,
      }));
    },
    sort: (rows, subscribers) => visibleRows(rows, subscribers, canSee),
  });

const canSee = ({ claim, userId, deviceIds }: CommandSubscriber, row: CommandRow): boolean =>
  (deviceIds === undefined || deviceIds.has(row.deviceId)) &&
  (claim.applicationId === null || row.applications.includes(claim.applicationId)) &&
  (claim.role === Role.owner || (userId !== null && row.readers.includes(userId)));

/** `offset 0` makes PostgreSQL read the commands by the time of their state, not all of them in the order of the page. */
const commandsQuery = (question: FeedQuestion<CommandSubscriber>): Sql => {
  const xid = wholeXid(sql`c.xmin`);
  const { subscribers, since, after } = question;
  const organizations = [...new Set(subscribers.map(({ organizationId }) => organizationId))];
  const applications = [...new Set(subscribers.flatMap(({ claim }) => claim.applicationId ?? []))];
  const members = [...new Set(subscribers.flatMap(({ userId }) => userId ?? []))];
  return sql`
    select f.*, l.applications, r.readers from ${currentSnapshot} cross join lateral (
      select c.id, ${xid}::text as xid, c.organization_id as "organizationId", c.device_id as "deviceId", c.state,
             c.state_at::text as "stateAt"
        from (select id, organization_id, device_id, state, state_at, xmin from command
               where organization_id = any(${organizations}::uuid[]) and state_at >= ${new Date(since - clockSkew)}
              offset 0) c
       where c.id > ${after ?? firstId(0)}::uuid and ${unseen(xid, question)}
       order by c.id limit ${pageSize}::int) f
     cross join lateral (
       select array_agg(ad.application_id::text) as applications from application_device ad
        where ad.device_id = f."deviceId" and ad.application_id = any(${applications}::uuid[])) l
     cross join lateral (
       select array_agg(distinct tm.user_id::text) as readers
         from application_device ad join team_application ta using (application_id) join team_member tm using (team_id)
        where ad.device_id = f."deviceId" and tm.user_id = any(${members}::uuid[])) r
     order by f.id`;
};
