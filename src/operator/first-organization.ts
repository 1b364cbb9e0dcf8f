import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Queryable } from '#database/queryable.js';
import { newValues } from '#entities/audit-event.js';
import { AccountType, Role, VariableType } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { createAccount } from './account.js';
import { withEvents } from './event.js';
import { createFirstUsers, firstOwner } from './first-users.js';
import { createToken } from './token.js';

/** The first organization for a new user: it has a token, a device with a product, and an application. */
export interface FirstOrganization {
  id: string;
  token: string;
  serial: string;
  applicationId: string;
  /**
   * Identifiers of two users: an owner of the organization, and one who is not yet a member. Empty when users existed
   * already.
   */
  users: readonly string[];
}

/** An organization as the start message names it. */
export type NamedOrganization = { id: string; username: string };

/** Returns the oldest organization that is not disabled. */
export async function findFirstOrganization(db: Queryable): Promise<NamedOrganization | undefined> {
  const { rows } = await db.query<NamedOrganization>(
    sql`select id, username from account where type = 'organization' and not disabled order by id limit 1`,
  );
  return rows[0];
}

/** Advisory lock, so that only one of several processes that start together finds the database empty. */
const LOCK = 337_366;

const serial = '00-de-70-00-00-00-00-01';

/** Creates the organization `demo` with sample objects, unless an organization exists already. */
export async function createFirstOrganization(pool: Pool, at: Date): Promise<FirstOrganization | undefined> {
  const db = await pool.connect();
  try {
    await db.query('begin');
    await db.query(sql`select pg_advisory_xact_lock(${LOCK})`);
    const found = await db.query(sql`select from account where type = 'organization' limit 1`);
    if (found.rowCount !== 0) {
      await db.query('rollback');
      return undefined;
    }
    const account = { username: 'demo', email: 'demo@example.com', name: 'Demo' };
    const id = await createAccount(db, AccountType.organization, account, at);
    const { token } = await createToken(db, { organizationId: id, name: 'First start' }, at);
    const applicationId = await furnish(db, id, at);
    const users = await createFirstUsers(db, at);
    for (const userId of users.slice(0, 1)) await makeOwner(db, { id, userId, at });
    await db.query('commit');
    return { id, token, serial, applicationId, users };
  } catch (error) {
    await db.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    db.release();
  }
}

function makeOwner(db: Queryable, { id, userId, at }: { id: string; userId: string; at: Date }) {
  const inserted = sql`
    insert into membership (organization_id, user_id, role, created_at) values (${id}, ${userId}, 'owner', ${at})`;
  const target = { kind: 'member', id: userId, name: firstOwner.name };
  const event = { organizationId: id, action: 'first start', target, changes: newValues({ role: Role.owner }) };
  return db.query(withEvents(inserted, event));
}

/** Creates a thermometer with a product, linked to an application. Returns the application's identifier. */
async function furnish(db: Queryable, organizationId: string, at: Date): Promise<string> {
  const [productId, deviceId, applicationId] = [newId(), newId(), newId()];
  const variables = JSON.stringify([{ name: 'temperature', unit: '°C', type: VariableType.FLOAT32 }]);
  await db.query(sql`
    insert into product (id, organization_id, name, slug, version, variables, created_at, updated_at)
    values (${productId}, ${organizationId}, 'Thermometer', 'thermometer', '1.0', ${variables}, ${at}, ${at})`);
  await db.query(sql`
    insert into device (id, organization_id, serial, name, slug, product_id, created_at, updated_at)
    values (${deviceId}, ${organizationId}, ${serial}, 'First thermometer', 'first-thermometer', ${productId}, ${at}, ${at})`);
  await db.query(sql`
    insert into application (id, organization_id, name, slug, created_at, updated_at)
    values (${applicationId}, ${organizationId}, 'First look', 'first-look', ${at}, ${at})`);
  await db.query(sql`
    insert into application_device (organization_id, application_id, device_id)
    values (${organizationId}, ${applicationId}, ${deviceId})`);
  return applicationId;
}
