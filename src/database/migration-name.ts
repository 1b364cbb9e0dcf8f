/** The name that the connections of migrations have in `pg_stat_activity`. */
export const migrationName = 'ddp migrate';
