import { ArrayMaxSize, ArrayMinSize, Max, Min, ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import type { Fault } from '#common/errors.js';
import type { AttributeValue } from '#entities/attribute.js';
import { UnixTime } from '#entities/scalars.js';
import { attributeValue } from '#listing/attribute-value.js';
import { DeviceArgs } from '#listing/identifier.args.js';
import { label, unixTime } from '#schema/fields.js';

@InputType({ description: 'A value to give a device by name.' })
export class AttributeInput {
  @label('Name.', 64) name!: string;
  @attributeValue(
    'A number, a boolean, or a text of at most 1 kB. Absent or null: the attribute has no value from then on.',
    {
      nullable: true,
    },
  )
  value?: AttributeValue | null;
  @unixTime('Time from which it holds, in Unix seconds; by default now. Another value of that time is replaced.')
  validFrom?: number | null;
}

/** Returns faults of attributes that have a name and time of one before. Without a time, they all hold from now on. */
export const repeatedAttributes = (attributes: readonly AttributeInput[]): Fault[] => {
  const seen = new Set<string>();
  return attributes.flatMap(({ name, validFrom }, index) => {
    const key = `${validFrom ?? 'now'} ${name}`;
    return seen.has(key) || !seen.add(key)
      ? [{ path: `attributes.${index}`, message: 'repeats a name and time above' }]
      : [];
  });
};

@ArgsType()
export class DeviceAttributesArgs extends DeviceArgs {
  @unixTime('Time at which the attributes hold, in Unix seconds; by default now.') at?: number | null;
}

/** New values of attributes. */
@ArgsType()
export class SetDeviceAttributesArgs extends DeviceArgs {
  @Field(() => [AttributeInput], { description: 'The values, at most 100. Other attributes stay.' })
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  attributes!: AttributeInput[];
}

/** Identifies an attribute of a device, or one of its versions. */
@ArgsType()
export class RemoveDeviceAttributeArgs extends DeviceArgs {
  @label('Name of the attribute.', 64) name!: string;
  @unixTime('Only the value that holds from this time: Unix seconds. Absent: all.') validFrom?: number | null;
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
