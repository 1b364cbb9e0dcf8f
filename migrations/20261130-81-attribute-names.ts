import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** The names of an organization's attributes of devices with the types of their values, which searches look up. */
export class AttributeNames extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.index({
      name: 'attribute_name',
      table: 'attribute',
      definition: `(organization_id, name, jsonb_typeof(value)) where device_id is not null and value is not null`,
    });
  }
}
