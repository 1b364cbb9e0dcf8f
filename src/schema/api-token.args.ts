import { GraphQLDateTimeISO } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { TokenScope } from '../entities/enums.js';
import { OrganizationArgs } from './account.args.js';
import { DeviceArgs } from './device.args.js';
import { id, name } from './fields.js';
import { PageArgs } from './list.args.js';

/** A new token. */
@ArgsType()
export class CreateApiTokenArgs extends OrganizationArgs {
  @id('Member to act as; without one the token acts as the organization itself.', { optional: true })
  userId?: string | null;
  @Field(() => TokenScope, { defaultValue: TokenScope.full, description: 'What it may do.' })
  scope: TokenScope = TokenScope.full;
  @name('What it is for.', { optional: true }) name?: string | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it stops to count, a time in the future; never unless given.',
  })
  expiresAt?: Date | null;
}

/** A new token of a device. */
@ArgsType()
export class CreateDeviceTokenArgs extends DeviceArgs {
  @name('What it is for.', { optional: true }) name?: string | null;
  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'When it stops to count, a time in the future; never unless given.',
  })
  expiresAt?: Date | null;
}

/** Arguments of the list of a device's tokens. */
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

/** Arguments of the list of an organization's tokens. */
@ArgsType()
export class ApiTokensArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
}

/** Identifies a token. */
@ArgsType()
export class ApiTokenArgs extends OrganizationArgs {
  @id('Identifier of the token.') tokenId!: string;
}
