import sql from 'sql-template-tag';
import { ApiError, unavailable } from '#common/errors.js';
import type { Read } from '#schema/context.js';

/**
 * Throws the reason why the service cannot serve: it is stopping, the database is unreachable, or migrations are
 * missing.
 */
export const createReadyCheck =
  (state: { draining: boolean }, read: Read, migrations: readonly string[]) => async (): Promise<void> => {
    if (state.draining) throw unavailable('The service is stopping.');
    const applied = await read(sql`select from migration where name = any(${migrations})`);
    if (applied.length < migrations.length) throw new ApiError('UNAVAILABLE', 'The database lacks migrations.');
  };
