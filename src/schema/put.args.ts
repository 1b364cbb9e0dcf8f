import { ArrayMaxSize, ValidateNested } from 'class-validator';
import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { OrganizationArgs } from './account.args.js';
import { CheckedByItem } from './arguments.js';
import { LocationInput, ProductReferenceInput } from './device.args.js';
import { flag, labels, name, serial } from './fields.js';

/** Maximum number of items of a call that puts many things. */
export const maxPut = 1000;

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
  @Field(() => LocationInput, { nullable: true, description: 'Where the device stands.' })
  @ValidateNested()
  location?: LocationInput | null;
}

/** Many things to put. */
@ArgsType()
class PutArgs extends OrganizationArgs {
  @flag('Only say what would be done, and change nothing.') dryRun?: boolean | null;
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
