import sql from 'sql-template-tag';
import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { targetOf } from '#audit/fields.js';
import { authorize, loadApplication, loadDevice } from '#auth/access.js';
import { change } from '#auth/execute.js';
import { can, policies } from '#auth/policies.js';
import { Application } from '#entities/application.js';
import { GraphOnly } from '#entities/columns.js';
import type { Device } from '#entities/device.js';
import { Permission } from '#entities/enums.js';
import { isId, newId } from '#entities/id.js';
import { applicationListing } from '#listing/applications.js';
import { ApplicationDevicesArgs, DevicesBelowArgs } from '#listing/device-filter.args.js';
import { linkedDeviceListing } from '#listing/devices.js';
import { ApplicationArgs } from '#listing/identifier.args.js';
import { list, listBelow } from '#listing/list.js';
import { readFilter, type Silence } from '#listing/silent-filter.js';
import type { Context } from '#schema/context.js';
import { ApplicationPage, DevicePage } from '#schema/pages.js';
import {
  ApplicationDeviceArgs,
  ApplicationsArgs,
  CreateApplicationArgs,
  UpdateApplicationArgs,
} from './application.args.js';

/** Resolves applications and their linked devices. */
@Resolver(() => Application)
export class ApplicationResolver {
  constructor(private readonly index: Silence) {}

  @Query(() => ApplicationPage, { description: 'The applications of the organization that the caller can read.' })
  applications(@Args(() => ApplicationsArgs) args: ApplicationsArgs, @Ctx() ctx: Context): Promise<ApplicationPage> {
    authorize(ctx, args.organizationId, policies.organization.read);
    return list(
      ctx,
      applicationListing(ctx.caller, {
        where: [
          sql`a.organization_id = ${args.organizationId}`,
          can(ctx.caller, policies.application.read),
          ...(args.ids ? [sql`a.id = any(${args.ids.filter(isId)}::uuid[])`] : []),
        ],
        order: sql`a.id`,
      }),
      args,
    );
  }

  @Query(() => Application, { description: 'An application.' })
  application(@Args(() => ApplicationArgs) args: ApplicationArgs, @Ctx() ctx: Context): Promise<Application> {
    return loadApplication(ctx, args, policies.application.read);
  }

  @FieldResolver(() => DevicePage, { description: 'Devices linked to the application.' })
  @GraphOnly()
  async devices(
    @Root() { id }: Application,
    @Args(() => DevicesBelowArgs) args: DevicesBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<DevicePage> {
    const filter = await readFilter(ctx, this.index, args.filter);
    const listing = () => linkedDeviceListing(ctx.caller, sql`parent.id`, { filter });
    return listBelow(ctx, 'application.devices', id, listing, args);
  }

  @Mutation(() => Application, { description: 'Creates an application.' })
  async createApplication(
    @Args(() => CreateApplicationArgs) args: CreateApplicationArgs,
    @Ctx() ctx: Context,
  ): Promise<Application> {
    authorize(ctx, args.organizationId, policies.application.create);
    const { organizationId } = args;
    const application = Object.assign(new Application(), { id: newId(), organizationId, permission: Permission.write });
    await ctx.insert(application.change(args));
    return application;
  }

  @Mutation(() => Application, { description: 'Changes an application.' })
  async updateApplication(
    @Args(() => UpdateApplicationArgs) args: UpdateApplicationArgs,
    @Ctx() ctx: Context,
  ): Promise<Application> {
    const application = await loadApplication(ctx, args, policies.application.change);
    application.change(args);
    await ctx.update(application);
    return application;
  }

  @Mutation(() => Application, { description: 'Deletes an application with its links, hooks and deliveries.' })
  async deleteApplication(
    @Args(() => ApplicationArgs) args: ApplicationArgs,
    @Ctx() ctx: Context,
  ): Promise<Application> {
    const application = await loadApplication(ctx, args, policies.application.delete);
    await ctx.em.remove(application).flush();
    return application;
  }

  @Query(() => DevicePage, { description: 'The devices linked to an application.' })
  async applicationDevices(
    @Args(() => ApplicationDevicesArgs) args: ApplicationDevicesArgs,
    @Ctx() ctx: Context,
  ): Promise<DevicePage> {
    const application = await loadApplication(ctx, args, policies.application.read);
    return list(ctx, linkedDeviceListing(ctx.caller, sql`${application.id}`, args), args);
  }

  @Mutation(() => Application, { description: 'Links a device to an application. Repeating the call changes nothing.' })
  async addApplicationDevice(
    @Args(() => ApplicationDeviceArgs) { organizationId, applicationId, deviceId }: ApplicationDeviceArgs,
    @Ctx() ctx: Context,
  ): Promise<Application> {
    const application = await loadApplication(ctx, { organizationId, applicationId }, policies.application.change);
    const device = await loadDevice(ctx, { organizationId, deviceId }, policies.device.read);
    await change(
      ctx,
      sql`insert into application_device (organization_id, application_id, device_id)
          values (${organizationId}, ${application.id}, ${device.id}) on conflict do nothing`,
      targetOf('Application', application),
      { device: [null, namedDevice(device)] },
    );
    return application;
  }

  @Mutation(() => Application, { description: 'Unlinks a device from an application.' })
  async removeApplicationDevice(
    @Args(() => ApplicationDeviceArgs) { organizationId, applicationId, deviceId }: ApplicationDeviceArgs,
    @Ctx() ctx: Context,
  ): Promise<Application> {
    const application = await loadApplication(ctx, { organizationId, applicationId }, policies.application.change);
    const device = await loadDevice(ctx, { organizationId, deviceId }, policies.device.read);
    await change(
      ctx,
      sql`delete from application_device where application_id = ${application.id} and device_id = ${device.id}`,
      targetOf('Application', application),
      { device: [namedDevice(device), null] },
    );
    return application;
  }
}

/** Returns a device in the form in which events of applications name it. */
const namedDevice = ({ id, serial, name }: Device) => ({ id, name: name ?? serial });
