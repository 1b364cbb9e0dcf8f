import { ArgsType } from 'type-graphql';
import { AuditOutcome } from '#entities/audit-event.js';
import { OrganizationListArgs } from './account.args.js';
import { choice, label, unixTime } from './fields.js';

/** Events of an organization that pass a filter. */
@ArgsType()
export class AuditEventsArgs extends OrganizationListArgs {
  @label('Only events of this actor: identifier of a token, session, job or user, or its name.', 200, {
    optional: true,
  })
  actor?: string | null;
  @label('Only events of this operation, such as `updateTeam`.', 100, { optional: true }) action?: string | null;
  @label('Only events about this thing: its identifier, its name, or a kind such as `device`.', 2048, {
    optional: true,
  })
  target?: string | null;
  @choice(() => AuditOutcome, 'Only events with this outcome.', { optional: true }) outcome?: AuditOutcome | null;
  @unixTime('Only events at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only events at this time or earlier: Unix seconds.') to?: number | null;
}
