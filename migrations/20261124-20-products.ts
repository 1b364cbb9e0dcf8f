import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/**
 * The devices of a product by organization, in the order of their identifiers: they are counted and paged without a look
 * at the organization's other devices, or at those of others that use the product.
 */
export class Products extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.index({ name: 'device_product', table: 'device', definition: '(product_id, organization_id, id)' });
  }
}
