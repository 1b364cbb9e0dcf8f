import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, type ClassType, Field } from 'type-graphql';
import { flag, label, mark, unixTime, whole } from '#schema/fields.js';
import type { OrganizationArgs } from '#schema/organization.args.js';

/** A command that is sent to one device or to many. */
interface SentCommandArgs {
  name: string;
  parameters?: Record<string, unknown> | null;
  payload?: string | null;
  streamId?: number | null;
  confirmed?: boolean | null;
  expiresAt?: number | null;
}

/** Adds the fields of a command to arguments that say which devices get it. */
export function withCommand<Target extends OrganizationArgs>(
  target: ClassType<Target>,
): ClassType<Target & SentCommandArgs> {
  @ArgsType()
  class NewCommandArgs extends (target as ClassType<OrganizationArgs>) implements SentCommandArgs {
    @label('Name of a command that the product of the device declares, or `raw`.', 100) name!: string;
    @Field(() => GraphQLJSONObject, {
      nullable: true,
      description: 'Values of the parameters by name, all of them. Whole numbers beyond 2^53 are decimal texts.',
    })
    parameters?: Record<string, unknown> | null;
    @mark('Bytes of a raw command in hexadecimal, at most 4 kB.', 8192) payload?: string | null;
    @whole('Stream (LoRaWAN: port) of the bytes of a raw command. Absent: 1.', 0, 2_147_483_647, { optional: true })
    streamId?: number | null;
    @flag('Whether the network asks the device to confirm it. Absent: as the product declares, else false.')
    confirmed?: boolean | null;
    @unixTime('Time from which it is handed over no more: Unix seconds, at most 30 days ahead. Absent: in a day.')
    expiresAt?: number | null;
  }
  return NewCommandArgs as ClassType<OrganizationArgs & SentCommandArgs> as ClassType<Target & SentCommandArgs>;
}
