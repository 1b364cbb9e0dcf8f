import { ArrayMaxSize, ValidateNested } from 'class-validator';
import { ArgsType, Field, InputType, registerEnumType } from 'type-graphql';
import { AttributeInput } from '#listing/attribute.args.js';
import { DevicesBelowArgs } from '#listing/device-filter.args.js';
import { SiteArgs } from '#listing/identifier.args.js';
import { CheckedByItem } from '#schema/arguments.js';
import { choice, flag, id, label, name } from '#schema/fields.js';
import { PageArgs, SearchablePageArgs } from '#schema/list.args.js';
import { LocationInput } from '#schema/location.args.js';
import { OrganizationArgs, OrganizationListArgs } from '#schema/organization.args.js';
import { KeyedInput, maxPut, PutArgs } from '#upsert/upsert.args.js';

/** Ways to delete a site that is not empty. */
export enum SiteContents {
  refuse = 'refuse',
  moveUp = 'moveUp',
  deleteSites = 'deleteSites',
}

registerEnumType(SiteContents, {
  name: 'SiteContents',
  description: 'Fate of the sites and devices in a site that is deleted.',
  valuesConfig: {
    refuse: { description: 'The site is deleted only if nothing is in it.' },
    moveUp: { description: 'Sites and devices go to the site above, or to the top and to no site.' },
    deleteSites: { description: 'All sites below are deleted as well. Devices go to the site above, or to no site.' },
  },
});

const kind = (optional: string) => label(`Kind, such as \`building\`.${optional}`, 64, { optional: true });
const timeZone = () => label('Time zone, such as `Europe/Berlin`.', 100, { optional: true });
const location = (): PropertyDecorator => (target, key) => {
  Field(() => LocationInput, { nullable: true, description: 'Location.' })(target, key as string);
  ValidateNested()(target, key as string);
};

/** A list of sites. */
@ArgsType()
export class SitesArgs extends OrganizationListArgs {
  @id('Only sites directly in this one.', { optional: true }) parentId?: string | null;
  @flag('True: only sites at the top.') top?: boolean | null;
  @kind(' Only sites of this kind.') kind?: string | null;
}

/** Sites in another one. */
@ArgsType()
export class SitesBelowArgs extends SearchablePageArgs {
  @kind(' Only sites of this kind.') kind?: string | null;
}

/** A new site. */
@ArgsType()
export class CreateSiteArgs extends OrganizationArgs {
  @name('Name.') name!: string;
  @id('Site that it is in; null for a site at the top.', { optional: true }) parentId?: string | null;
  @kind('') kind?: string | null;
  @location() location?: LocationInput | null;
  @timeZone() timeZone?: string | null;
}

/** New values of a site. */
@ArgsType()
export class UpdateSiteArgs extends CreateSiteArgs {
  @id('Identifier of the site.') siteId!: string;
}

@ArgsType()
export class DeleteSiteArgs extends SiteArgs {
  @choice(() => SiteContents, 'Fate of the sites and devices in it. Absent: `refuse`.', { optional: true })
  contents?: SiteContents | null;
}

const below = () => flag('True: with the devices of all sites below; false: only of this site.');

/** Devices of a site. */
@ArgsType()
export class DevicesOfSiteArgs extends DevicesBelowArgs {
  @below() below?: boolean | null;
}

/** A list of the devices of a site. */
@ArgsType()
export class SiteDevicesArgs extends SearchablePageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the site.') siteId!: string;
  @below() below?: boolean | null;
}

/** A list of the sites of a device. */
@ArgsType()
export class DeviceSitesArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the device.') deviceId!: string;
}

/** A site as a call of many puts it. */
@CheckedByItem()
@InputType({
  description: 'A site and the key under which a tool knows it. A value that is absent stays as it is, null clears it.',
})
export class SiteInput extends KeyedInput {
  @name('Name.') name!: string;
  @label('Key or identifier of the site that it is in, which the same call may put; null for a site at the top.', 200, {
    optional: true,
  })
  parent?: string | null;
  @kind('') kind?: string | null;
  @location() location?: LocationInput | null;
  @timeZone() timeZone?: string | null;
  @Field(() => [AttributeInput], {
    nullable: true,
    description:
      'Attributes, at most 50. Others stay. Without a time, one that has the value already is left as it is.',
  })
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  attributes?: AttributeInput[] | null;
}

/** Many sites. */
@ArgsType()
export class PutSitesArgs extends PutArgs {
  @Field(() => [SiteInput], { description: 'The sites, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  sites!: SiteInput[];
}
