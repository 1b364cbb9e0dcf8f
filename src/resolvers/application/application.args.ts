import { ArrayMaxSize } from 'class-validator';
import { ArgsType, Field, InputType } from 'type-graphql';
import { ApplicationArgs } from '#listing/identifier.args.js';
import { CheckedByItem } from '#schema/arguments.js';
import { description, flag, id, ids, name } from '#schema/fields.js';
import { OrganizationArgs, OrganizationListArgs } from '#schema/organization.args.js';
import { KeyedInput, maxPut, PutArgs } from '#upsert/upsert.args.js';

@ArgsType()
export class ApplicationsArgs extends OrganizationListArgs {
  @ids('Only these applications.') ids?: string[] | null;
}

/** A new application. */
@ArgsType()
export class CreateApplicationArgs extends OrganizationArgs {
  @name('Name.') name!: string;
  @description('Description.') description?: string | null;
  @flag('Whether the application has a dashboard. Absent: false.') hasDashboard?: boolean | null;
}

/** New values of an application. */
@ArgsType()
export class UpdateApplicationArgs extends ApplicationArgs {
  @name('Name.') name!: string;
  @description('Description.') description?: string | null;
  @flag('Whether the application has a dashboard.', {}) hasDashboard!: boolean;
}

/** Identifies a device and an application. */
@ArgsType()
export class ApplicationDeviceArgs extends ApplicationArgs {
  @id('Identifier of the device.') deviceId!: string;
}

/** An application as a call of many puts it. */
@CheckedByItem()
@InputType({
  description:
    'An application and the key under which a tool knows it. A value that is absent stays as it is, null clears it.',
})
export class ApplicationInput extends KeyedInput {
  @name('Name.') name!: string;
  @description('Description.') description?: string | null;
  @flag('Whether it has a dashboard.') hasDashboard?: boolean | null;
}

/** Many applications. */
@ArgsType()
export class PutApplicationsArgs extends PutArgs {
  @Field(() => [ApplicationInput], { description: 'The applications, at most 1,000.' })
  @ArrayMaxSize(maxPut)
  applications!: ApplicationInput[];
}
