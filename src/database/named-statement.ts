import type { QueryConfig } from 'pg';
import type { Sql } from 'sql-template-tag';

/** Returns a statement that each connection prepares once under its name. Its text must be the same for all values. */
export const namedStatement = (name: string, { text, values }: Sql): QueryConfig<unknown[]> => ({ name, text, values });
