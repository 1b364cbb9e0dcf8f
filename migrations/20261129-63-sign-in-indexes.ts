import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Begun sign-ins are in sealed cookies: nothing looks for rows by address or browser. */
export class SignInIndexes extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked(
      'sign_in_attempt',
      'drop index if exists sign_in_attempt_address; drop index if exists sign_in_attempt_browser',
    );
  }
}
