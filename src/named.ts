import type { QueryConfig } from 'pg';
import type { Sql } from 'sql-template-tag';

/** A statement that each connection prepares once under its name: its text must be the same whatever its values are. */
export const named = (name: string, { text, values }: Sql): QueryConfig<unknown[]> => ({ name, text, values });
