import { ArgsType } from 'type-graphql';
import { AuditOutcome } from '../entities/audit-event.js';
import { OrganizationListArgs } from './account.args.js';
import { choice, label, unixTime } from './fields.js';

/** Events of an organization that pass a filter. */
@ArgsType()
export class AuditEventsArgs extends OrganizationListArgs {
  @label('Only those of this actor: identifier of a token, session, job or user, or its name.', 200, {
    optional: true,
  })
  actor?: string | null;
  @label('Only those of this operation, such as `updateTeam`.', 100, { optional: true }) action?: string | null;
  @label('Only those about this thing: its identifier, its name, or a kind such as `device`.', 2048, {
    optional: true,
  })
  target?: string | null;
  @choice(() => AuditOutcome, 'Only those with this outcome.', { optional: true }) outcome?: AuditOutcome | null;
  @unixTime('Happened from then on: Unix seconds, included.') from?: number | null;
  @unixTime('Happened up to then: Unix seconds, included.') to?: number | null;
}
