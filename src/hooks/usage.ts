import sql from 'sql-template-tag';
import { namedStatement } from '#database/named-statement.js';
import type { Queryable } from '#database/queryable.js';
import type { ApplicationKey } from './message.js';

interface Counted {
  application: ApplicationKey;
  productId: string | undefined;
  deliveries: number;
}

/**
 * Counts the deliveries of a transaction by application and product, for the usage of their organization. Pings do not
 * count.
 */
export class UsageOfHooks {
  /** Total number of deliveries. */
  deliveries = 0;
  private readonly counted = new Map<string, Counted>();

  /** Counts a delivery of a record. */
  count(application: ApplicationKey, productId: string | undefined): void {
    this.deliveries++;
    const key = `${application.id} ${productId}`;
    const counted = this.counted.get(key);
    if (counted === undefined) this.counted.set(key, { application, productId, deliveries: 1 });
    else counted.deliveries++;
  }

  /** Writes the counts in the transaction that stores the deliveries. `now` is milliseconds since 1970. */
  async note(tx: Queryable, now: number): Promise<void> {
    if (this.deliveries === 0) return;
    const rows = [...this.counted.values()];
    await tx.query(
      namedStatement(
        'usage of hooks',
        sql`
        insert into usage_delta (at, organization_id, application_id, product_id, deliveries)
        select ${new Date(now)}::timestamptz, * from unnest(
          ${rows.map(({ application }) => application.organizationId)}::uuid[],
          ${rows.map(({ application }) => application.id)}::uuid[],
          ${rows.map(({ productId }) => productId)}::uuid[],
          ${rows.map(({ deliveries }) => deliveries)}::int[])`,
      ),
    );
  }
}
