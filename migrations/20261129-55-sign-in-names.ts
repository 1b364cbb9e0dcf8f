import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Columns that say by which name a provider last knew a person, and which owner made an invitation. */
export class SignInNames extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    // The name of the person as the provider last told it; null until the next sign-in.
    await steps.locked('identity', 'alter table identity add column if not exists name text');
    // The owner who invited; null for a token of the organization.
    await steps.locked('invitation', 'alter table invitation add column if not exists created_by uuid');
  }
}
