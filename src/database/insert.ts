import type { EntityMetadata, EntityProperty, MikroORM, Platform } from '@mikro-orm/postgresql';
import type { Sql } from 'sql-template-tag';
import type { GroupCommit } from './group-commit.js';

/**
 * Inserts one entity of an organization and runs a second statement with it, atomically. The SQL text of the second
 * statement is always the same.
 * @throws DatabaseError if it violates a constraint
 */
export type Insert = (organizationId: string, entity: object, beside: Sql) => Promise<void>;

interface Insertion {
  name: string;
  text: string;
  valuesOf: (entity: object) => unknown[];
}

/**
 * Creates a function that inserts one entity, as the unit of work would, by a prepared statement. The unit of work
 * writes the values into the SQL text, which PostgreSQL parses and plans each time.
 */
export const createInsert = (orm: MikroORM, commit: GroupCommit): Insert => {
  const insertions = new Map<unknown, Insertion>();
  const insertionOf = (type: unknown, beside: Sql): Insertion => {
    const made = insertions.get(type) ?? insertInto(orm, orm.getMetadata().get(type as never), beside);
    insertions.set(type, made);
    return made;
  };
  return async (organizationId, entity, beside) => {
    const { name, text, valuesOf } = insertionOf(entity.constructor, beside);
    await commit(organizationId, { name, text, values: [...beside.values, ...valuesOf(entity)] });
  };
};

const insertInto = (orm: MikroORM, { props, tableName }: EntityMetadata, beside: Sql): Insertion => {
  const platform = orm.em.getPlatform();
  const columns = props.filter(({ persist }) => persist !== false);
  const names = columns.map(({ fieldNames }) => platform.quoteIdentifier(fieldNames[0]!));
  const places = names.map((_, index) => `$${beside.values.length + index + 1}`);
  return {
    name: `insert ${tableName}`,
    text: `with beside as (${beside.text}) insert into ${platform.quoteIdentifier(tableName)} (${names.join(', ')}) values (${places.join(', ')})`,
    valuesOf: (entity) => columns.map((column): unknown => storedValue(column, entity, platform)),
  };
};

/** Returns the value of a property in the form of the database. */
export const storedValue = ({ name, customType }: EntityProperty, entity: object, platform: Platform): unknown => {
  const value = (entity as Readonly<Record<string, unknown>>)[name] ?? null;
  if (value === null || customType === undefined) return value;
  const stored: unknown = customType.convertToDatabaseValue(value, platform, { mode: 'query-data' });
  return stored;
};
