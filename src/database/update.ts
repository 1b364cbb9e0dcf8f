import type { ChangeSet, EntityMetadata, MikroORM } from '@mikro-orm/postgresql';
import type { Sql } from 'sql-template-tag';
import type { GroupCommit } from './group-commit.js';
import { storedValue } from './insert.js';

/**
 * Stores the changed columns of one row of an organization and runs a second statement with it, atomically. Returns
 * false, and runs neither, if the row has changed since it was read. The SQL text of the second statement is always the same.
 * @throws DatabaseError if the change violates a constraint
 */
export type Update = (organizationId: string, change: ChangeSet<object>, beside: Sql) => Promise<boolean>;

/**
 * Creates a function that stores a change, as the unit of work would, by one prepared statement. The unit of work needs
 * four round trips, and writes the values into the SQL text, which PostgreSQL parses and plans each time.
 */
export const createUpdate = (orm: MikroORM, commit: GroupCommit): Update => {
  const statements = new Map<string, { name: string; text: string }>();
  const platform = orm.em.getPlatform();
  const quoted = ({ properties }: EntityMetadata, name: string) =>
    platform.quoteIdentifier(properties[name as never]!['fieldNames'][0]!);
  return async (organizationId, { meta, payload, entity, originalEntity }, beside) => {
    const changed = Object.keys(payload);
    const checked = ['id', ...meta.concurrencyCheckKeys];
    const key = `${meta.className} ${changed.join(' ')}`;
    let statement = statements.get(key);
    if (statement === undefined) {
      const place = (index: number) => `$${beside.values.length + index + 1}`;
      const set = changed.map((name, index) => `${quoted(meta, name)} = ${place(index)}`);
      const current = checked.map((name, index) => `${quoted(meta, name)} = ${place(changed.length + index)}`);
      const text = `with changed as (update ${platform.quoteIdentifier(meta.tableName)} set ${set.join(', ')} where ${current.join(' and ')} returning 1), beside as (${beside.text} where exists (select from changed)) select from changed`;
      statement = { name: `update ${meta.tableName} ${statements.size}`, text };
      statements.set(key, statement);
    }
    const original = originalEntity as Readonly<Record<string, unknown>>;
    const values = [
      ...beside.values,
      ...changed.map((name) => storedValue(meta.properties[name as never], entity, platform)),
      ...checked.map((name) => original[name]),
    ];
    return (await commit(organizationId, { ...statement, values, row: String(original['id']) })) === 1;
  };
};
