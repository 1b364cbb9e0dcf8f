import { ArgsType } from 'type-graphql';
import { OrganizationArgs, OrganizationListArgs } from './account.args.js';
import { description, flag, id, ids, name } from './fields.js';
import { PageArgs } from './list.args.js';

/** Arguments of the list of an organization's applications. */
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

/** Identifies an application. */
@ArgsType()
export class ApplicationArgs extends OrganizationArgs {
  @id('Identifier of the application.') applicationId!: string;
}

/** New values of an application. */
@ArgsType()
export class UpdateApplicationArgs extends ApplicationArgs {
  @name('Name.') name!: string;
  @description('Description.') description?: string | null;
  @flag('Whether the application has a dashboard.', {}) hasDashboard!: boolean;
}

/** Arguments of the list of an application's devices. */
@ArgsType()
export class ApplicationDevicesArgs extends PageArgs {
  @id('Identifier of the organization.') organizationId!: string;
  @id('Identifier of the application.') applicationId!: string;
  @id('Only devices of this product.', { optional: true }) productId?: string | null;
}

/** Identifies a device and an application. */
@ArgsType()
export class ApplicationDeviceArgs extends ApplicationArgs {
  @id('Identifier of the device.') deviceId!: string;
}
