import { OnlineMigration } from '../src/database/online-migration.js';
import type { OnlineSteps } from '../src/database/online-steps.js';

/**
 * Takes away what claims needed before there were leases (20261121-01-leases). Processes of before then go on answering, and
 * can call no hooks any more: those that come with this migration do. Nothing to do where it was taken away at once.
 */
export class Claims extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    if (await steps.finds(`select from pg_attribute where attrelid = 'delivery'::regclass and attname = 'claim_id'`)) {
      await steps.locked(
        'delivery',
        `
        drop index if exists delivery_running;
        update delivery set state = 'pending' where not done and state = 'running';
        alter table delivery drop constraint delivery_state_check, drop column claim_id, drop column locked_until;
        alter table delivery
          add constraint delivery_state_check check (state in ('pending', 'succeeded', 'failed')) not valid;
        -- What waits is pending: what succeeded, or failed, is not looked for among it.
        alter table delivery_open add constraint delivery_open_pending check (state = 'pending') not valid;
      `,
      );
    }
    await steps.validate('delivery', 'delivery_state_check');
    await steps.validate('delivery_open', 'delivery_open_pending');
  }
}
