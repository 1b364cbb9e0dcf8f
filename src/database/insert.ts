import type { EntityMetadata, MikroORM } from '@mikro-orm/postgresql';

/**
 * Inserts one entity.
 * @throws DatabaseError if it violates a constraint
 */
export type Insert = (entity: object) => Promise<void>;

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
  const statementOf = (type: unknown): Statement => {
    const made = statements.get(type) ?? insertInto(orm, orm.getMetadata().get(type as never));
    statements.set(type, made);
    return made;
  };
  return async (entity) => {
    const { name, text, valuesOf } = statementOf(entity.constructor);
    const pool = await orm.em.getConnection().getNativeClient();
    await pool.query({ name, text, values: valuesOf(entity) });
  };
};

const insertInto = (orm: MikroORM, { props, tableName }: EntityMetadata): Statement => {
  const platform = orm.em.getPlatform();
  const columns = props.filter(({ persist }) => persist !== false);
  const names = columns.map(({ fieldNames }) => platform.quoteIdentifier(fieldNames[0]!));
  return {
    name: `insert ${tableName}`,
    text: `insert into ${platform.quoteIdentifier(tableName)} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    valuesOf: (entity) =>
      columns.map(({ name, customType }): unknown => {
        const value = (entity as Readonly<Record<string, unknown>>)[name] ?? null;
        if (value === null || customType === undefined) return value;
        const stored: unknown = customType.convertToDatabaseValue(value, platform, { mode: 'query-data' });
        return stored;
      }),
  };
};
