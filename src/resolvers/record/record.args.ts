import { ArgsType, Field } from 'type-graphql';
import { ExactJSON, type ExactJson } from '#entities/exact-json.js';
import { flag, id, label } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Records in the platform's own format. */
@ArgsType()
export class IngestRecordsArgs extends OrganizationArgs {
  @Field(() => ExactJSON, { description: 'One record, or an array of at most 10,000.' }) records!: ExactJson;
  @flag('Whether to list every item, including stored ones.') verbose?: boolean | null;
  @label(
    'Idempotency key, which makes the call safe to repeat: for 24 hours, a repeated call gets the first answer.',
    200,
    { optional: true },
  )
  idempotencyKey?: string | null;
}

/** Records of one device in the platform's own format, without the serial number. */
@ArgsType()
export class IngestDeviceRecordsArgs extends IngestRecordsArgs {
  @id('Identifier of the device.') deviceId!: string;
}

/** The body that a network server posts, unchanged. */
@ArgsType()
export class IngestArgs extends OrganizationArgs {
  @Field(() => ExactJSON, { description: 'Body of the network server.' }) body!: ExactJson;
}

/** The body that The Things Stack posts, and the headers of its webhook with a downlink key. */
@ArgsType()
export class IngestTheThingsStackArgs extends IngestArgs {
  // Without limits: an uplink is not refused for a header that is not used.
  @Field(() => String, {
    nullable: true,
    description: 'Address for downlinks of the device. With its key, it proposes a network server to owners.',
  })
  downlinkPush?: string | null;
  @Field(() => String, { nullable: true, description: 'Key for downlinks, which is stored encrypted and never shown.' })
  downlinkApiKey?: string | null;
}

/** The body and event type that ChirpStack posts. */
@ArgsType()
export class IngestChirpStackArgs extends IngestArgs {
  @label('Kind of event; `up`, `status` and `location` are stored.', 50, { optional: true }) event?: string | null;
}

/** The body that a ThingsBoard device posts, and the device's serial number. */
@ArgsType()
export class IngestThingsBoardArgs extends IngestArgs {
  @label('Serial number of the device.', 200) serial!: string;
}
