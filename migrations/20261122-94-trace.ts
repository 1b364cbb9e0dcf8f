import { Migration } from '@mikro-orm/migrations';

/**
 * The trace context (W3C `traceparent`) of the request that a delivery follows from: its calls are made later, perhaps by
 * another process, and go on with it. Null, and without a byte, where the request was in no trace.
 */
export class Trace extends Migration {
  override up(): void {
    this.addSql('alter table delivery add column traceparent text');
  }
}
