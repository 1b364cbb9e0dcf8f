import { ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { OrganizationArgs, OrganizationListArgs } from './account.args.js';
import { type DeviceFilterInput, deviceFilter } from './device-filter.args.js';
import { flag, id, ids, labels, name, number, serial } from './fields.js';

/** Identifies the product that describes a device. */
@InputType({ description: 'A product, by its identifiers.' })
export class ProductReferenceInput {
  @id('Identifier of the product.') id!: string;
  @id('Organization that owns the product.', { optional: true }) organizationId?: string | null;
}

/** A location on Earth. */
@InputType({ description: 'A location on Earth (WGS 84).' })
export class LocationInput {
  @number('Latitude in degrees.', -90, 90) lat!: number;
  @number('Longitude in degrees.', -180, 180) lon!: number;
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

/** Identifies a device. */
@ArgsType()
export class DeviceArgs extends OrganizationArgs {
  @id('Identifier of the device.') deviceId!: string;
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

/** Arguments of the list of an organization's devices. */
@ArgsType()
export class DevicesArgs extends OrganizationListArgs {
  @id('Only devices of this product.', { optional: true }) productId?: string | null;
  @flag('True: only devices with a product; false: all devices.') hasProduct?: boolean | null;
  @GraphOnly() @ids('Only these devices.') ids?: string[] | null;
  @GraphOnly() @deviceFilter() filter?: DeviceFilterInput | null;
}
