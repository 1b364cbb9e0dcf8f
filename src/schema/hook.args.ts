import { ArrayMaxSize, ArrayMinSize, IsIn, Matches, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, Float, InputType } from 'type-graphql';
import { GraphOnly } from '../entities/columns.js';
import { Ended } from '../entities/delivery.js';
import { HookEventKind } from '../entities/words.js';
import type { PlainJson } from '../json.js';
import { ApplicationArgs } from './application.args.js';
import { choice, flag, hookUrl, id, ids, labels, Storable, unixTime, whole } from './fields.js';
import { SearchablePageArgs } from './list.args.js';

/** Requires text that a header can carry (RFC 9110, section 5.5). */
const HeaderText = () => Matches(/^[^\p{Cc}]*$/u, { message: 'must not hold control characters' });

/** User name and password of basic authentication (RFC 7617). */
@InputType({ description: 'Basic authentication.' })
export class HookBasicInput {
  @Field(() => String, { description: 'User name of the basic authentication.' })
  @MaxLength(1000)
  @Matches(/^[^:]*$/, { message: 'must not hold a colon' })
  @HeaderText()
  user!: string;

  @Field(() => String, { nullable: true, description: 'Password. Absent on update: as it was.' })
  @MaxLength(1000)
  @HeaderText()
  pass?: string | null;
}

/** A header of the hook's calls. */
@InputType({ description: 'A header.' })
export class HookHeaderInput {
  @Field(() => String, { nullable: true, description: 'Name; `Authorization` unless given, on update too.' })
  @MaxLength(200)
  @Matches(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { message: 'must be the name of an HTTP header' })
  name?: string | null;

  @Field(() => String, { description: 'Value of the header.' })
  @MaxLength(1000)
  @Matches(/^[\t\x20-\x7e\x80-\xff]*$/, { message: 'must not hold control characters or characters beyond Latin-1' })
  value!: string;
}

/** A bearer token, stored as the header `Authorization`. */
@InputType({ description: 'A bearer token; kept as the header `Authorization`.' })
export class HookBearerInput {
  @Field(() => String, { description: 'The token.' })
  @MaxLength(990)
  @Matches(/^[\x21-\x7e]+$/, { message: 'must be visible ASCII characters' })
  value!: string;
}

/** Authentication of a hook's calls. */
@InputType({ description: 'How calls to a hook authenticate.' })
export class HookAuthenticationInput {
  @Field(() => HookBasicInput, { nullable: true, description: 'Basic authentication.' })
  @ValidateNested()
  basic?: HookBasicInput | null;

  @Field(() => HookHeaderInput, { nullable: true, description: 'A header.' })
  @ValidateNested()
  header?: HookHeaderInput | null;

  @Field(() => HookBearerInput, { nullable: true, description: 'A bearer token, instead of a header.' })
  @ValidateNested()
  bearer?: HookBearerInput | null;
}

/** A new hook. */
@ArgsType()
export class CreateHookArgs extends ApplicationArgs {
  @hookUrl() url!: string;
  @flag('Whether TLS certificates that nobody vouches for are accepted; absent: false on create, as it was on update.')
  allowUnverifiedSSLCert?: boolean | null;
  @flag('Whether it is switched off; absent: false on create, as it was on update.') disabled?: boolean | null;
  @Field(() => HookAuthenticationInput, { nullable: true, description: 'How calls authenticate; replaced as a whole.' })
  @ValidateNested()
  authentication?: HookAuthenticationInput | null;
}

/** Identifies a hook. */
@ArgsType()
export class HookArgs extends ApplicationArgs {
  @id('Identifier of the hook.') applicationHookId!: string;
}

/** New values of a hook. */
@ArgsType()
export class UpdateHookArgs extends CreateHookArgs {
  @id('Identifier of the hook.') applicationHookId!: string;
}

/** Arguments of the list of an application's hooks. */
@ArgsType()
export class HooksArgs extends SearchablePageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the application.') applicationId!: string;
}

/** Filter and page of an application's hooks. */
@ArgsType()
export class FilteredHooksArgs extends HooksArgs {
  @GraphOnly()
  @flag('True: only those that are switched off; false: only the others.')
  disabled?: boolean | null;
  @GraphOnly()
  @flag('True: only those whose latest call failed; false: only the others.')
  failing?: boolean | null;
}

/** Arguments of the list of a hook's deliveries. */
@ArgsType()
export class DeliveriesArgs extends HooksArgs {
  @id('Identifier of the hook.') applicationHookId!: string;
}

/** Filter and page of a hook's deliveries. */
@ArgsType()
export class LedgerArgs extends DeliveriesArgs {
  @flag('True: only those that succeeded; false: only those that have not.') successful?: boolean | null;
  @id('Only those of this device.', { optional: true }) deviceId?: string | null;
  @unixTime('Stored from then on: Unix seconds, included.') from?: number | null;
  @unixTime('Stored up to then: Unix seconds, included.') to?: number | null;
}

/** Filter of the records that a hook is called with. */
@InputType({ description: 'Which records a hook is called with; a record has to pass all that is given.' })
export class HookFilterInput {
  @ids('Products: one of these.') @Storable({ each: true }) products?: string[] | null;
  @labels('Tags of the device: one of these.', 50, 64) tags?: string[] | null;
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'A query as searches take it, over the record.' })
  query?: { [key: string]: PlainJson } | null;
}

const eventKinds: string[] = Object.values(HookEventKind);

/** New settings of a hook. */
@ArgsType()
export class UpdateHookSettingsArgs extends HookArgs {
  @whole('Calls at once, over all processes together; 8 until it is set, absent: as it was.', 1, 64, { optional: true })
  concurrency?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: 'Calls a second, at most; no limit until it is set, absent: as it was.',
  })
  @Min(0.01)
  @Max(1000)
  maxPerSecond?: number | null;
  @flag(
    "Whether a device's records go out in the order of storing, one at a time; false until it is set, absent: as it was.",
  )
  ordered?: boolean | null;
  @Field(() => [String], {
    nullable: true,
    description: `Kinds of events that it is called for, of ${eventKinds.join(', ')}; \`record\` until it is set, absent: as it was. Those of devices tell of the whole organization: only owners choose them.`,
  })
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @IsIn(eventKinds, { each: true })
  events?: string[] | null;
  @Field(() => HookFilterInput, {
    nullable: true,
    description: 'Which records it is called with; replaced as a whole.',
  })
  @ValidateNested()
  filter?: HookFilterInput | null;
}

/** Selects deliveries to redeliver. */
@ArgsType()
export class RedeliverArgs extends HookArgs {
  @unixTime('Stored from then on: Unix seconds, included.') from?: number | null;
  @unixTime('Stored up to then: Unix seconds, included.') to?: number | null;
  @choice(() => Ended, 'How the deliveries ended that are made again; `failed` unless given.', { optional: true })
  state?: Ended | null;
}

/** Selects stored records to deliver. */
@ArgsType()
export class ReplayArgs extends HookArgs {
  @unixTime('Measured from then on: Unix seconds, included.') from?: number | null;
  @unixTime('Measured up to then: Unix seconds, included.') to?: number | null;
}

/** Identifies a delivery. */
@ArgsType()
export class DeliveryArgs extends HookArgs {
  @id('Identifier of the delivery.') deliveryId!: string;
}
