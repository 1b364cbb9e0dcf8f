import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { createVault } from './vault.js';

/**
 * Checks that the listed keys fit the stored secrets of hooks and network servers.
 * @throws Error with a sentence for the operator, if secrets are stored and no listed key opens any of them
 */
export async function requireSecretKey(pool: Pool, secretKeys: readonly string[]): Promise<void> {
  const { rows } = await pool.query<{ sealed: string }>(sql`
    select distinct on (split_part(sealed, '.', 2)) sealed
      from (
        select sealed from hook, unnest(array[basic_pass, header_value, signing_secret, previous_signing_secret]) sealed
        union all select api_key from network_server
      ) stored
     where sealed is not null`);
  const vault = createVault(secretKeys);
  if (rows.length === 0 || rows.some(({ sealed }) => vault.hasKey(sealed))) return;
  throw new Error(
    'SECRET_KEY opens none of the secrets of hooks and network servers stored in this database. Start with the key that sealed them; to change it, put the new key before it, separated by a comma.',
  );
}
