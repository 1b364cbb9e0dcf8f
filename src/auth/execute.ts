import type { EntityManager } from '@mikro-orm/postgresql';
import type { Sql } from 'sql-template-tag';

/** Runs one statement and returns its rows: in the unit of work's transaction, or by itself when there is none. */
export const execute = <Row extends object = object>(em: EntityManager, query: Sql): Promise<Row[]> =>
  em.execute<Row[]>(query.sql, [...query.values]);
