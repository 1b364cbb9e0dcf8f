import type { EntityMetadata, EntityProperty, MikroORM, Platform } from '@mikro-orm/postgresql';
import pg, { type Pool } from 'pg';
import type { Sql } from 'sql-template-tag';
import { isCancelled } from './bounded.js';
import { isConnectionLoss } from './loss.js';
import { transaction } from './transaction.js';

/**
 * Inserts one entity of an organization and runs a second statement with it, atomically. The SQL text of the second
 * statement is always the same.
 * @throws DatabaseError if it violates a constraint
 */
export type Insert = (organizationId: string, entity: object, beside: Sql) => Promise<void>;

interface Statement {
  name: string;
  text: string;
  valuesOf: (entity: object) => unknown[];
}

/** An insert that is ready to be sent. */
interface Ready {
  name: string;
  text: string;
  values: unknown[];
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
  const store = createGroups(async () => orm.em.getConnection().getNativeClient());
  return (organizationId, entity, beside) => {
    const { name, text, valuesOf } = statementOf(entity.constructor, beside);
    return store(organizationId, { name, text, values: [...beside.values, ...valuesOf(entity)] });
  };
};

/** Maximum number of inserts that one transaction commits. */
const maxGroup = 32;
/**
 * Maximum number of transactions of an organization at once, and number of waiting inserts that begin a second one: the
 * service prepares one group while PostgreSQL stores another.
 */
const [maxAtOnce, enough] = [2, 8];

interface Waiting {
  ready: Ready;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Groups the inserts of an organization: those that arrive while others are committed go into one transaction next, in
 * two packets. Inserts wait only for others of their organization.
 */
const createGroups = (open: () => Promise<Pool>) => {
  const queues = new Map<string, { running: number; waiting: Waiting[] }>();
  const start = (organizationId: string): void => {
    const queue = queues.get(organizationId)!;
    const { running, waiting } = queue;
    if (running + waiting.length === 0) queues.delete(organizationId);
    if (waiting.length === 0 || (running > 0 && (running === maxAtOnce || waiting.length < enough))) return;
    queue.running += 1;
    void storeGroup(open, waiting.splice(0, maxGroup)).then(() => {
      queue.running -= 1;
      start(organizationId);
    });
  };
  return (organizationId: string, ready: Ready): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(organizationId) ?? { running: 0, waiting: [] };
      queues.set(organizationId, queue);
      queue.waiting.push({ ready, resolve, reject });
      start(organizationId);
    });
};

/** Stores a group. One insert's fault does not fail the others, so each of a failed group is tried alone. */
const storeGroup = async (open: () => Promise<Pool>, group: readonly Waiting[]): Promise<void> => {
  const alone = group.length === 1;
  try {
    const pool = await open();
    if (alone) await pool.query(group[0]!.ready);
    else await transaction(pool, (tx) => Promise.all(group.map(({ ready }) => tx.query(ready))));
    for (const { resolve } of group) resolve();
  } catch (error) {
    if (alone || !isOwnFault(error)) for (const { reject } of group) reject(error);
    // One after the other, as the connections serve other organizations too.
    else for (const one of group) await storeGroup(open, [one]);
  }
};

/** Whether a single insert may have caused the failure of its group. */
const isOwnFault = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && !isConnectionLoss(error) && !isCancelled(error);

const insertInto = (orm: MikroORM, { props, tableName }: EntityMetadata, beside: Sql): Statement => {
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
