import { ArrayMaxSize, ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import type { AttributeValue } from '#entities/attribute.js';
import { id, ids, label, number, unixTime } from '#schema/fields.js';
import { PageArgs, SearchablePageArgs } from '#schema/list.args.js';
import { attributeValue } from './attribute-value.js';

@InputType({ description: 'A circle on Earth (WGS 84): `{lat: 59.85, lon: 17.63, radius: 500}`.' })
export class NearInput {
  @number('Latitude of the centre in degrees.', -90, 90) lat!: number;
  @number('Longitude of the centre in degrees.', -180, 180) lon!: number;
  /** The upper limit is more than half of the Earth's circumference. */
  @number('Radius in metres.', 0, 20_100_000) radius!: number;
}

@InputType({ description: 'An attribute with a value: `{name: "line", value: 3}`.' })
export class AttributeFilterInput {
  @label('Name of the attribute.', 64) name!: string;
  @attributeValue('The value: a number, boolean or text.') value!: AttributeValue;
}

@InputType({
  description:
    'Filter of devices: `{tag: "roof", silentSince: "2026-11-25T10:00:00Z"}`. A device must meet all given conditions.',
})
export class DeviceFilterInput {
  @ids('Only these devices.') ids?: string[] | null;
  @label('Only devices with this tag.', 64, { optional: true }) tag?: string | null;
  @ids('Only devices of one of these products.') productIds?: string[] | null;
  @id('Only devices linked to this application.', { optional: true }) applicationId?: string | null;
  @id('Only devices that are at this site now, or below it.', { optional: true }) siteId?: string | null;
  @unixTime(
    'Only devices without a record measured at this time or later: Unix seconds. A record ahead of its arrival counts as measured then.',
  )
  silentSince?: number | null;
  @Field(() => NearInput, { nullable: true, description: 'Only devices within a circle, edge included.' })
  @ValidateNested()
  near?: NearInput | null;
  @Field(() => [AttributeFilterInput], {
    nullable: true,
    description: 'Only devices whose attributes have these values now, at most 10.',
  })
  @ArrayMaxSize(10)
  @ValidateNested({ each: true })
  attributes?: AttributeFilterInput[] | null;
}

/** Declares an argument that filters devices. */
export const deviceFilter =
  (description = 'Filter of devices; by default all.'): PropertyDecorator =>
  (target, key) => {
    Field(() => DeviceFilterInput, { nullable: true, description })(target, key as string);
    ValidateNested()(target, key as string);
  };

/** Page and filter of a list of devices. */
@ArgsType()
export class DevicesBelowArgs extends SearchablePageArgs {
  @deviceFilter() filter?: DeviceFilterInput | null;
}

@ArgsType()
export class ApplicationDevicesArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the application.') applicationId!: string;
  @id('Only devices of this product.', { optional: true }) productId?: string | null;
}
