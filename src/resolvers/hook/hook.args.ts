import { ArrayMaxSize, ArrayMinSize, IsIn, Matches, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, Float, InputType } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { Ended } from '#entities/delivery.js';
import { HookEventKind } from '#entities/text-enums.js';
import type { PlainJson } from '#json/json.js';
import { ApplicationArgs, HookArgs } from '#listing/identifier.args.js';
import { CheckedByItem } from '#schema/arguments.js';
import { choice, flag, hookUrl, id, ids, labels, Storable, unixTime, whole } from '#schema/fields.js';
import { SearchablePageArgs } from '#schema/list.args.js';
import { KeyedInput, PutArgs } from '#upsert/upsert.args.js';

/** Requires text that a header can carry (RFC 9110, section 5.5). */
const HeaderText = () => Matches(/^[^\p{Cc}]*$/u, { message: 'must not hold control characters' });

/** User name and password of basic authentication (RFC 7617). */
@InputType({ description: 'Basic authentication.' })
export class HookBasicInput {
  @Field(() => String, { description: 'User name for basic authentication.' })
  @MaxLength(1000)
  @Matches(/^[^:]*$/, { message: 'must not hold a colon' })
  @HeaderText()
  user!: string;

  @Field(() => String, { nullable: true, description: 'Password. Absent on update: unchanged.' })
  @MaxLength(1000)
  @HeaderText()
  pass?: string | null;
}

/** A header of the hook's calls. */
@InputType({ description: 'A header.' })
export class HookHeaderInput {
  @Field(() => String, {
    nullable: true,
    description: 'Name of the header: `Authorization` if it is left out, also in an update.',
  })
  @MaxLength(200)
  @Matches(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { message: 'must be the name of an HTTP header' })
  name?: string | null;

  @Field(() => String, { description: 'Value of the header.' })
  @MaxLength(1000)
  @Matches(/^[\t\x20-\x7e\x80-\xff]*$/, { message: 'must not hold control characters or characters beyond Latin-1' })
  value!: string;
}

@InputType({ description: 'A bearer token, stored as the header `Authorization`.' })
export class HookBearerInput {
  @Field(() => String, { description: 'The token.' })
  @MaxLength(990)
  @Matches(/^[\x21-\x7e]+$/, { message: 'must be visible ASCII characters' })
  value!: string;
}

@InputType({ description: "Authentication of a hook's calls." })
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
  @flag('Whether unverified TLS certificates are accepted. Absent: false on create, unchanged on update.')
  allowUnverifiedSSLCert?: boolean | null;
  @flag('Whether the hook is disabled. Absent: false on create, unchanged on update.') disabled?: boolean | null;
  @Field(() => HookAuthenticationInput, {
    nullable: true,
    description: 'Authentication of calls, which is replaced as a whole.',
  })
  @ValidateNested()
  authentication?: HookAuthenticationInput | null;
}

/** New values of a hook. */
@ArgsType()
export class UpdateHookArgs extends CreateHookArgs {
  @id('Identifier of the hook.') applicationHookId!: string;
}

@ArgsType()
export class HooksArgs extends SearchablePageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the application.') applicationId!: string;
}

/** Filter and page of an application's hooks. */
@ArgsType()
export class FilteredHooksArgs extends HooksArgs {
  @GraphOnly()
  @flag('True: only disabled hooks; false: only others.')
  disabled?: boolean | null;
  @GraphOnly()
  @flag('True: only hooks whose latest call failed; false: only others.')
  failing?: boolean | null;
}

@ArgsType()
export class DeliveriesArgs extends HooksArgs {
  @id('Identifier of the hook.') applicationHookId!: string;
}

/** Filter and page of a hook's deliveries. */
@ArgsType()
export class LedgerArgs extends DeliveriesArgs {
  @flag('True: only deliveries that succeeded; false: only deliveries that have not.') successful?: boolean | null;
  @id('Only deliveries of this device.', { optional: true }) deviceId?: string | null;
  @unixTime('Only deliveries stored at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only deliveries stored at this time or earlier: Unix seconds.') to?: number | null;
}

@InputType({
  description: 'Filter of the records that a hook is called with. A record must meet all given conditions.',
})
export class HookFilterInput {
  @ids('Products: the record must have one of them.') @Storable({ each: true }) products?: string[] | null;
  @labels('Tags: the device must have at least one of them.', 50, 64) tags?: string[] | null;
  @Field(() => GraphQLJSONObject, { nullable: true, description: 'A search query that the record must match.' })
  query?: { [key: string]: PlainJson } | null;
}

const eventKinds: string[] = Object.values(HookEventKind);

/** New settings of a hook. */
@ArgsType()
export class UpdateHookSettingsArgs extends HookArgs {
  @whole('Maximum number of concurrent calls, over all processes together; initially 8. Absent: unchanged.', 1, 64, {
    optional: true,
  })
  concurrency?: number | null;
  @Field(() => Float, {
    nullable: true,
    description: 'Maximum number of calls per second; initially no limit. Absent: unchanged.',
  })
  @Min(0.01)
  @Max(1000)
  maxPerSecond?: number | null;
  @flag(
    "Whether a device's records are delivered in the order of storing, one at a time; initially false. Absent: unchanged.",
  )
  ordered?: boolean | null;
  @Field(() => [String], {
    nullable: true,
    description: `Kinds of events that the hook is called for, among ${eventKinds.join(', ')}; initially \`record\`. Absent: unchanged. Device events concern the whole organization, so only owners may add them.`,
  })
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @IsIn(eventKinds, { each: true })
  events?: string[] | null;
  @Field(() => HookFilterInput, {
    nullable: true,
    description: 'Filter of the records that the hook is called with, which is replaced as a whole.',
  })
  @ValidateNested()
  filter?: HookFilterInput | null;
}

/** Selects deliveries to redeliver. */
@ArgsType()
export class RedeliverArgs extends HookArgs {
  @unixTime('Only deliveries stored at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only deliveries stored at this time or earlier: Unix seconds.') to?: number | null;
  @choice(() => Ended, 'Final state of the deliveries that are made again; by default `failed`.', { optional: true })
  state?: Ended | null;
}

/** Selects stored records to deliver. */
@ArgsType()
export class ReplayArgs extends HookArgs {
  @unixTime('Only records measured at this time or later: Unix seconds.') from?: number | null;
  @unixTime('Only records measured at this time or earlier: Unix seconds.') to?: number | null;
}

/** Identifies a delivery. */
@ArgsType()
export class DeliveryArgs extends HookArgs {
  @id('Identifier of the delivery.') deliveryId!: string;
}

/** A hook as a call of many puts it. */
@CheckedByItem()
@InputType({
  description:
    'A hook and the key under which a tool knows it. A value that is absent stays as it is, null restores its default.',
})
export class HookInput extends KeyedInput {
  @hookUrl() url!: string;
  @flag('Whether unverified TLS certificates are accepted.') allowUnverifiedSSLCert?: boolean | null;
  @flag('Whether the hook is disabled.') disabled?: boolean | null;
  @Field(() => HookAuthenticationInput, {
    nullable: true,
    description: 'Authentication of calls, which is replaced as a whole.',
  })
  @ValidateNested()
  authentication?: HookAuthenticationInput | null;
  @whole('Maximum number of concurrent calls, over all processes together.', 1, 64, { optional: true }) concurrency?:
    | number
    | null;
  @Field(() => Float, { nullable: true, description: 'Maximum number of calls per second.' })
  @Min(0.01)
  @Max(1000)
  maxPerSecond?: number | null;
  @flag("Whether a device's records are delivered in the order of storing, one at a time.") ordered?: boolean | null;
  @Field(() => [String], {
    nullable: true,
    description: `Kinds of events that the hook is called for, among ${eventKinds.join(', ')}.`,
  })
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @IsIn(eventKinds, { each: true })
  events?: string[] | null;
  @Field(() => HookFilterInput, { nullable: true, description: 'Filter of the records that the hook is called with.' })
  @ValidateNested()
  filter?: HookFilterInput | null;
}

/** Many hooks of an application. */
@ArgsType()
export class PutHooksArgs extends PutArgs {
  @id('Identifier of the application. Only a dry run may leave it out, for an application that is still to be made.', {
    optional: true,
  })
  applicationId?: string | null;
  @Field(() => [HookInput], { description: 'The hooks, at most 100.' })
  @ArrayMaxSize(100)
  hooks!: HookInput[];
}
