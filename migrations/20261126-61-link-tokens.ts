import { OnlineMigration } from '#database/online-migration.js';
import type { OnlineSteps } from '#database/online-steps.js';

/** Tokens of dashboard links. A token reads one application and is deleted with it. */
export class LinkTokens extends OnlineMigration {
  override async steps(steps: OnlineSteps): Promise<void> {
    await steps.locked('api_token', 'alter table api_token add column if not exists application_id uuid');
    await steps.index({
      name: 'api_token_application',
      table: 'api_token',
      definition: '(organization_id, application_id) where application_id is not null',
    });
    await steps.locked(
      'api_token, application',
      `alter table api_token drop constraint if exists api_token_link;
       alter table api_token add constraint api_token_link check (application_id is null
         or (user_id is null and device_id is null and product_id is null and scope = 'read')) not valid;
       alter table api_token drop constraint if exists api_token_organization_id_application_id_fkey;
       alter table api_token add constraint api_token_organization_id_application_id_fkey
         foreign key (organization_id, application_id) references application (organization_id, id) on delete cascade not valid`,
    );
    await steps.validate('api_token', 'api_token_link');
    await steps.validate('api_token', 'api_token_organization_id_application_id_fkey');
  }
}
