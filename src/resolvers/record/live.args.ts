import { MaxLength } from 'class-validator';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { maxCursorCharacters } from '#entities/live.js';
import type { PlainJson } from '#json/json.js';
import { ApplicationArgs, HookArgs } from '#listing/identifier.args.js';
import { id, ids, whole } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Default maximum number of items in one event. */
export const usualLimit = 100;

const limited = (things: string) =>
  whole(`${things} per event, at most.`, 1, 500, { optional: true, usual: usualLimit });
const after = (): PropertyDecorator => (target, key) => {
  Field(() => String, {
    nullable: true,
    description:
      'The `cursor` of an event of this subscription. Events since then are sent first, with the newest 1,000 items; `missed` counts the others.',
  })(target, key as string);
  MaxLength(maxCursorCharacters)(target, key as string);
};

@ArgsType()
export class RecordReceivedArgs extends ApplicationArgs {
  @ids('Only records of these devices, which must be linked to the application. Absent: all linked devices.')
  deviceIds?: string[] | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Only records that a search with this query would find.',
  })
  query?: { [key: string]: PlainJson } | null;

  @limited('Records') limit?: number | null;
  @after() after?: string | null;
}

@ArgsType()
export class DeliveryUpdatedArgs extends HookArgs {
  @limited('Deliveries') limit?: number | null;
  @after() after?: string | null;
}

@ArgsType()
export class JobUpdatedArgs extends OrganizationArgs {
  @id('Only this job.', { optional: true }) jobId?: string | null;
  @limited('Jobs') limit?: number | null;
  @after() after?: string | null;
}

@ArgsType()
export class CommandUpdatedArgs extends OrganizationArgs {
  @id('Only commands to devices that are linked to this application.', { optional: true })
  applicationId?: string | null;

  @ids('Only commands to these devices. Absent: to all that the caller can read.') deviceIds?: string[] | null;
  @limited('Commands') limit?: number | null;
  @after() after?: string | null;
}

@ArgsType()
export class EpisodeChangedArgs extends ApplicationArgs {
  @limited('Episodes') limit?: number | null;
  @after() after?: string | null;
}

@ArgsType()
export class DeviceChangedArgs extends OrganizationArgs {
  @id('Only this device.', { optional: true }) deviceId?: string | null;
  @limited('Devices') limit?: number | null;
  @after() after?: string | null;
}
