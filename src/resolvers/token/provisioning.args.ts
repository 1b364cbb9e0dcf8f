import { GraphQLDateTimeISO } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { ProductArgs } from '#listing/identifier.args.js';
import { id, name, serial, whole } from '#schema/fields.js';
import { PageArgs } from '#schema/list.args.js';

/** A new provisioning token of a product. */
@ArgsType()
export class CreateProvisioningTokenArgs extends ProductArgs {
  @name('Purpose of the token.', { optional: true }) name?: string | null;
  @whole('Number of devices that may register with the token.', 1, 1_000_000) deviceLimit!: number;
  @Field(() => GraphQLDateTimeISO, { description: 'Time in the future at which the token expires.' })
  expiresAt!: Date;
}

@ArgsType()
export class ProvisioningTokensArgs extends PageArgs {
  @id('Identifier of the organization that owns the product.') organizationId!: string;
  @id('Identifier of the product.') productId!: string;
}

/** Identifies a provisioning token of a product. */
@ArgsType()
export class ProvisioningTokenArgs extends ProductArgs {
  @id('Identifier of the provisioning token.') provisioningTokenId!: string;
}

/** Arguments of a device that registers itself. */
@ArgsType()
export class ProvisionDeviceArgs {
  @serial() deviceSerial!: string;
}
