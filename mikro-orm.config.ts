import { fileURLToPath } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { clientOf } from '#database/client.js';
import { poolSizesFor } from '#database/pool-size.js';
import { sessionOptions } from '#database/pools.js';
import { typeParsers } from '#database/types.js';
import { entities } from '#entities/index.js';

/**
 * How the unit of work reaches the database. The schema comes from `migrations/` alone, never from the classes.
 * @param session settings of its sessions (`-c name=value ...`).
 * @param connections maximum number of its connections.
 */
export const ormOptions = (
  connectionString: string,
  session?: string,
  connections: number = poolSizesFor().orm,
): Options =>
  defineConfig({
    clientUrl: connectionString,
    entities,
    extensions: [Migrator],
    discovery: { warnWhenNoEntities: false },
    // Of the address it takes the parts alone, so the session's settings have to be said here.
    driverOptions: {
      types: typeParsers,
      application_name: 'ddp',
      options: sessionOptions(connectionString, session),
      Client: clientOf(connectionString),
      // Inserts of a group go out in one packet: see `createInsert`.
      pipeline: true,
    },
    pool: { min: 0, max: connections },
    // A flush runs in one transaction with its event in the audit log.
    implicitTransactions: true,
    migrations: {
      path: fileURLToPath(new URL('./migrations', import.meta.url)),
      tableName: 'migration',
      snapshot: false,
      silent: true,
      // Each commits by itself: one that fails leaves those before it in place.
      allOrNothing: false,
    },
  });
