import { ArrayMaxSize, ArrayMinSize, Max, Min, ValidateNested } from 'class-validator';
import { ArgsType, Field } from 'type-graphql';
import { UnixTime } from '#entities/scalars.js';
import { AttributeInput } from '#listing/attribute.args.js';
import { DeviceArgs, SiteArgs } from '#listing/identifier.args.js';
import { label, unixTime } from '#schema/fields.js';

const at = () => unixTime('Time at which the attributes hold, in Unix seconds; by default now.');
const validFrom = () => unixTime('Only the value that holds from this time: Unix seconds. Absent: all.');
const attributes = (): PropertyDecorator => (target, key) => {
  Field(() => [AttributeInput], { description: 'The values, at most 100. Other attributes stay.' })(
    target,
    key as string,
  );
  for (const rule of [ArrayMinSize(1), ArrayMaxSize(100), ValidateNested({ each: true })]) rule(target, key as string);
};

@ArgsType()
export class DeviceAttributesArgs extends DeviceArgs {
  @at() at?: number | null;
}

@ArgsType()
export class SiteAttributesArgs extends SiteArgs {
  @at() at?: number | null;
}

/** New values of attributes of a device. */
@ArgsType()
export class SetDeviceAttributesArgs extends DeviceArgs {
  @attributes() attributes!: AttributeInput[];
}

/** New values of attributes of a site. */
@ArgsType()
export class SetSiteAttributesArgs extends SiteArgs {
  @attributes() attributes!: AttributeInput[];
}

/** Identifies an attribute of a device, or one of its versions. */
@ArgsType()
export class RemoveDeviceAttributeArgs extends DeviceArgs {
  @label('Name of the attribute.', 64) name!: string;
  @validFrom() validFrom?: number | null;
}

/** Identifies an attribute of a site, or one of its versions. */
@ArgsType()
export class RemoveSiteAttributeArgs extends SiteArgs {
  @label('Name of the attribute.', 64) name!: string;
  @validFrom() validFrom?: number | null;
}

/** Selects the versions of an attribute. */
@ArgsType()
export class AttributeVersionsArgs {
  @label('Name of the attribute.', 64) name!: string;
  @Field(() => UnixTime, { nullable: true, description: 'Only values that hold from before this time: Unix seconds.' })
  @Min(0)
  @Max(1e14)
  before?: number | null;
}
