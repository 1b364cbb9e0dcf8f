import type { EntityManager } from '@mikro-orm/postgresql';
import type { Sql } from 'sql-template-tag';

/** Runs one statement in the unit of work's transaction, or on its own where there is none, and gives its rows. */
export const execute = <Row extends object = object>(em: EntityManager, query: Sql): Promise<Row[]> =>
  em.execute<Row[]>(query.sql, [...query.values]);
