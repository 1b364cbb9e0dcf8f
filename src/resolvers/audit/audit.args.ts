import { ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import { AuditOutcome } from '#entities/audit-event.js';
import { GraphOnly, RestOnly } from '#entities/columns.js';
import { choice, label, unixTime } from '#schema/fields.js';
import { OrganizationListArgs } from '#schema/organization.args.js';

const actor = label('Only events of this actor: identifier of a token, session, job or user, or its name.', 200, {
  optional: true,
});
const action = label('Only events of this operation, such as `updateTeam`.', 100, { optional: true });
const target = label('Only events about this thing: its identifier, its name, or a kind such as `device`.', 2048, {
  optional: true,
});
const outcome = choice(() => AuditOutcome, 'Only events with this outcome.', { optional: true });
const from = unixTime('Only events at this time or later: Unix seconds.');
const to = unixTime('Only events at this time or earlier: Unix seconds.');

@InputType({ description: 'Filter of events of the audit log. An event must meet all given conditions.' })
export class AuditEventFilterInput {
  @actor actor?: string | null;
  @action action?: string | null;
  @target target?: string | null;
  @outcome outcome?: AuditOutcome | null;
  @from from?: number | null;
  @to to?: number | null;
}

/** Events of an organization that pass a filter: one object in the graph, parameters on REST. */
@ArgsType()
export class AuditEventsArgs extends OrganizationListArgs {
  @GraphOnly()
  @Field(() => AuditEventFilterInput, { nullable: true, description: 'Filter of events; by default all.' })
  @ValidateNested()
  filter?: AuditEventFilterInput | null;
  @RestOnly() @actor actor?: string | null;
  @RestOnly() @action action?: string | null;
  @RestOnly() @target target?: string | null;
  @RestOnly() @outcome outcome?: AuditOutcome | null;
  @RestOnly() @from from?: number | null;
  @RestOnly() @to to?: number | null;
}
