import { ArgsType } from 'type-graphql';
import { id } from '#schema/fields.js';
import { OrganizationArgs } from '#schema/organization.args.js';

/** Identifies an application. */
@ArgsType()
export class ApplicationArgs extends OrganizationArgs {
  @id('Identifier of the application.') applicationId!: string;
}

/** Identifies a product by the organization that owns it. */
@ArgsType()
export class ProductArgs extends OrganizationArgs {
  @id('Identifier of the product.') productId!: string;
}

/** Identifies a device. */
@ArgsType()
export class DeviceArgs extends OrganizationArgs {
  @id('Identifier of the device.') deviceId!: string;
}

/** Identifies a site. */
@ArgsType()
export class SiteArgs extends OrganizationArgs {
  @id('Identifier of the site.') siteId!: string;
}

/** Identifies a network server. */
@ArgsType()
export class NetworkServerArgs extends OrganizationArgs {
  @id('Identifier of the network server.') networkServerId!: string;
}

/** Identifies a hook. */
@ArgsType()
export class HookArgs extends ApplicationArgs {
  @id('Identifier of the hook.') applicationHookId!: string;
}

/** Identifies an alert rule. */
@ArgsType()
export class AlertRuleArgs extends ApplicationArgs {
  @id('Identifier of the rule.') alertRuleId!: string;
}

/** Identifies a job. */
@ArgsType()
export class JobArgs extends OrganizationArgs {
  @id('Identifier of the job.') jobId!: string;
}
