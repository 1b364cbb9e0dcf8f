import { Migration } from '@mikro-orm/migrations';

/**
 * Keys of audit events that all processes together write at most once a minute. The table is unlogged: a crash of
 * PostgreSQL empties it, and an event may be written twice.
 */
export class AuditNoted extends Migration {
  override up(): void {
    this.addSql('create unlogged table audit_noted (key text primary key, at timestamptz(3) not null)');
  }
}
