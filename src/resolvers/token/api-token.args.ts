import { GraphQLDateTimeISO } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { TokenScope } from '#entities/enums.js';
import { DeviceArgs } from '#listing/identifier.args.js';
import { id, name } from '#schema/fields.js';
import { PageArgs } from '#schema/list.args.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** A new token. */
@ArgsType()
export class CreateApiTokenArgs extends OrganizationArgs {
  @id('Member that the token acts as. Absent: it acts as the organization itself.', { optional: true })
  userId?: string | null;
  @Field(() => TokenScope, { defaultValue: TokenScope.full, description: 'Scope of the token.' })
  scope: TokenScope = TokenScope.full;
  @name('Purpose of the token.', { optional: true }) name?: string | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Time in the future at which the token expires; by default never.',
  })
  expiresAt?: Date | null;
}

/** A new token of a device. */
@ArgsType()
export class CreateDeviceTokenArgs extends DeviceArgs {
  @name('Purpose of the token.', { optional: true }) name?: string | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Time in the future at which the token expires; by default never.',
  })
  expiresAt?: Date | null;
}

@ArgsType()
export class DeviceTokensArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the device.') deviceId!: string;
}

/** Identifies a token of a device. */
@ArgsType()
export class DeviceTokenArgs extends DeviceArgs {
  @id('Identifier of the token.') tokenId!: string;
}

@ArgsType()
export class ApiTokensArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

/** Identifies a token. */
@ArgsType()
export class ApiTokenArgs extends OrganizationArgs {
  @id('Identifier of the token.') tokenId!: string;
}
