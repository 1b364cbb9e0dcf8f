import { ArrayMaxSize, ValidateNested } from 'class-validator';
import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { AttributeInput } from '#listing/attribute.args.js';
import { type DeviceFilterInput, deviceFilter } from '#listing/device-filter.args.js';
import { CheckedByItem } from '#schema/arguments.js';
import { flag, id, ids, labels, name, serial } from '#schema/fields.js';
import { LocationInput } from '#schema/location.args.js';
import { OrganizationArgs, OrganizationListArgs } from '#schema/organization.args.js';
import { maxPut, PutArgs } from '#upsert/upsert.args.js';

/** Identifies the product that describes a device. */
@InputType({ description: 'A product, by its identifiers.' })
export class ProductReferenceInput {
  @id('Identifier of the product.') id!: string;
  @id('Organization that owns the product.', { optional: true }) organizationId?: string | null;
}

/** Values of a device. */
@ArgsType()
class DeviceValues extends OrganizationArgs {
  @name('Name.', { optional: true }) name?: string | null;
  @labels('Tags.', 50, 64) tags?: string[] | null;
  @Field(() => ProductReferenceInput, { nullable: true, description: 'Product that describes the device.' })
  @ValidateNested()
  product?: ProductReferenceInput | null;
  @Field(() => LocationInput, { nullable: true, description: 'Location of the device.' })
  @ValidateNested()
  location?: LocationInput | null;
}

/** A new device. */
@ArgsType()
export class RegisterDeviceArgs extends DeviceValues {
  @serial() deviceSerial!: string;
}

/** Identifies a device by its serial number. */
@ArgsType()
export class DeviceBySerialArgs extends OrganizationArgs {
  @serial() deviceSerial!: string;
}

/** New values of a device. */
@ArgsType()
export class UpdateDeviceArgs extends DeviceValues {
  @id('Identifier of the device.') deviceId!: string;
}

@ArgsType()
export class DevicesArgs extends OrganizationListArgs {
  @id('Only devices of this product.', { optional: true }) productId?: string | null;
  @flag('True: only devices with a product; false: all devices.') hasProduct?: boolean | null;
  @GraphOnly() @ids('Only these devices.') ids?: string[] | null;
  @GraphOnly() @deviceFilter() filter?: DeviceFilterInput | null;
}

/** A device as a call of many puts it. */
@CheckedByItem()
@InputType({
  description: 'A device by its serial. A value that is absent stays as it is, null clears it.',
})
export class DeviceInput {
  @serial() serial!: string;
  @name('Name.', { optional: true }) name?: string | null;
  @labels('Tags.', 50, 64) tags?: string[] | null;
  @Field(() => ProductReferenceInput, { nullable: true, description: 'Product that describes the device.' })
  @ValidateNested()
  product?: ProductReferenceInput | null;
  @Field(() => LocationInput, { nullable: true, description: 'Location of the device.' })
  @ValidateNested()
  location?: LocationInput | null;
  @id('Site at which the device is.', { optional: true }) siteId?: string | null;
  @Field(() => [AttributeInput], {
    nullable: true,
    description:
      'Attributes to set, at most 100; others stay. Without `validFrom`, a value that the attribute has already changes nothing.',
  })
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  attributes?: AttributeInput[] | null;
}

/** Many devices. */
@ArgsType()
export class PutDevicesArgs extends PutArgs {
  @Field(() => [DeviceInput], { description: 'The devices, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  devices!: DeviceInput[];
  @Field(() => [ID], {
    nullable: true,
    description: 'Applications to link each device to, at most 20. Other links stay.',
  })
  @ArrayMaxSize(20)
  linkTo?: string[] | null;
}
