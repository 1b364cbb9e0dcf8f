import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { newId } from '#entities/id.js';
import type { Variable } from '#entities/product.js';

/** An organization with a product and a device, inserted without the API. */
export interface Fleet {
  organizationId: string;
  productId: string;
  deviceId: string;
}

/** Creates a fleet whose device has this serial. */
export async function buildFleet(pool: Pool, serial: string, variables: Variable[]): Promise<Fleet> {
  const fleet = { organizationId: newId(), productId: newId(), deviceId: newId() };
  const { organizationId, productId, deviceId } = fleet;
  const username = `o${organizationId.slice(-12)}`;
  await pool.query(sql`
    insert into account (id, type, username, email, created_at, updated_at)
    values (${organizationId}, 'organization', ${username}, ${`${username}@example.com`}, now(), now())`);
  await pool.query(sql`
    insert into product (id, organization_id, name, slug, version, variables, created_at, updated_at)
    values (${productId}, ${organizationId}, 'Probe', 'probe', '1', ${JSON.stringify(variables)}, now(), now())`);
  await pool.query(sql`
    insert into device (id, organization_id, serial, slug, product_id, created_at, updated_at)
    values (${deviceId}, ${organizationId}, ${serial}, ${serial}, ${productId}, now(), now())`);
  return fleet;
}
