import { Migration } from '@mikro-orm/migrations';

/** Keys of events that are written once a minute at most, by whichever process. Without a log: a crash may forget them. */
export class AuditNoted extends Migration {
  override up(): void {
    this.addSql('create unlogged table audit_noted (key text primary key, at timestamptz(3) not null)');
  }
}
