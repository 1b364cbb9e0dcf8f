import type { EntityMetadata, MikroORM } from '@mikro-orm/postgresql';
import type { Sql } from 'sql-template-tag';

/**
 * Inserts one entity and runs a second statement with it, atomically. The SQL text of the second statement is always
 * the same.
 * @throws DatabaseError if it violates a constraint
 */
export type Insert = (entity: object, beside: Sql) => Promise<void>;

interface Statement {
  name: string;
  text: string;
  valuesOf: (entity: object) => unknown[];
}

/**
 * Creates a function that inserts one entity, as the unit of work would, by a prepared statement. The unit of work
 * writes the values into the SQL text, which PostgreSQL parses and plans each time.
 */
export const createInsert = (orm: MikroORM): Insert => {
  const statements = new Map<unknown, Statement>();
  const statementOf = (type: unknown, beside: Sql): Statement => {
    const made = statements.get(type) ?? insertInto(orm, orm.getMetadata().get(type as never), beside);
    statements.set(type, made);
    return made;
  };
  return async (entity, beside) => {
    const { name, text, valuesOf } = statementOf(entity.constructor, beside);
    const pool = await orm.em.getConnection().getNativeClient();
    await pool.query({ name, text, values: [...beside.values, ...valuesOf(entity)] });
  };
};

const insertInto = (orm: MikroORM, { props, tableName }: EntityMetadata, beside: Sql): Statement => {
  const platform = orm.em.getPlatform();
  const columns = props.filter(({ persist }) => persist !== false);
  const names = columns.map(({ fieldNames }) => platform.quoteIdentifier(fieldNames[0]!));
  const places = names.map((_, index) => `$${beside.values.length + index + 1}`);
  return {
    name: `insert ${tableName}`,
    text: `with beside as (${beside.text}) insert into ${platform.quoteIdentifier(tableName)} (${names.join(', ')}) values (${places.join(', ')})`,
    valuesOf: (entity) =>
      columns.map(({ name, customType }): unknown => {
        const value = (entity as Readonly<Record<string, unknown>>)[name] ?? null;
        if (value === null || customType === undefined) return value;
        const stored: unknown = customType.convertToDatabaseValue(value, platform, { mode: 'query-data' });
        return stored;
      }),
  };
};
