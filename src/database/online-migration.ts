import { Migration } from '@mikro-orm/migrations';
import { clientOf } from './client.js';
import { migrationName } from './migration-name.js';
import { OnlineSteps } from './online-steps.js';
import { withSession } from './pools.js';

/**
 * A migration of tables that have rows, while processes of the previous release serve. It never delays their statements
 * for longer than `lockLimit`. Each step commits by itself, and an interrupted migration begins again from its first
 * step, so every step must be safe to repeat.
 *
 * ```ts
 * export class Names extends OnlineMigration {
 *   override async steps(steps: OnlineSteps): Promise<void> {
 *     await steps.index({ name: 'device_name', table: 'device', definition: '(organization_id, lower(name), id)' });
 *   }
 * }
 * ```
 */
export abstract class OnlineMigration extends Migration {
  abstract steps(steps: OnlineSteps): Promise<void>;

  /** Indexes cannot be built concurrently inside a transaction. */
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    const connectionString = withSession(this.config.get('clientUrl')!, '-c statement_timeout=0 -c lock_timeout=0');
    const client = new (clientOf(connectionString))({ connectionString, application_name: migrationName });
    await client.connect();
    try {
      await this.steps(new OnlineSteps(client));
    } finally {
      await client.end();
    }
  }
}
