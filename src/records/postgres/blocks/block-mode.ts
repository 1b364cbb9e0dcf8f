import sql from 'sql-template-tag';
import type { BlockMode } from '#config/config.js';
import type { Queryable } from '#database/queryable.js';

export type { BlockMode };

/**
 * Returns what becomes of finished days where no setting says it: `alone` in a database that this release or a later one
 * has made, else `off`. A process of a release before 0.4, which knows no blocks, may still use an older database; such a
 * database has a row in `record_rollup_rule`.
 */
export const usualBlockMode = async (database: Queryable): Promise<BlockMode> => {
  const { rowCount } = await database.query(sql`select from record_rollup_rule`);
  return rowCount === 0 ? 'alone' : 'off';
};
