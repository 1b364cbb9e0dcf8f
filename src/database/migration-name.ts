/** Application name of the connections of migrations in `pg_stat_activity`. */
export const migrationName = 'ddp migrate';
