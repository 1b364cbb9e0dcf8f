import type { ClassType } from 'type-graphql';
import type { Config } from '#config/config.js';
import { AccountResolver } from '#resolvers/account/account.resolver.js';
import { InvitationResolver } from '#resolvers/account/invitation.resolver.js';
import { OrganizationResolver } from '#resolvers/account/organization.resolver.js';
import { organizationEdges } from '#resolvers/account/organization-edge.resolver.js';
import { OrganizationEdgesResolver } from '#resolvers/account/organization-edges.resolver.js';
import { SessionResolver } from '#resolvers/account/session.resolver.js';
import { ApiTokenEdgesResolver, UserEdgesResolver } from '#resolvers/account/user-edges.resolver.js';
import { ViewerResolver } from '#resolvers/account/viewer.resolver.js';
import { AlertRuleResolver, ApplicationAlertRulesResolver } from '#resolvers/alert/alert-rule.resolver.js';
import { AlertRulesUpsertResolver } from '#resolvers/alert/alert-rules-upsert.resolver.js';
import {
  ApplicationEpisodesResolver,
  DeviceEpisodesResolver,
  EpisodeResolver,
  OrganizationEpisodesResolver,
} from '#resolvers/alert/episode.resolver.js';
import { EpisodeNoticesResolver } from '#resolvers/alert/episode-notices.resolver.js';
import { ApplicationResolver } from '#resolvers/application/application.resolver.js';
import { ApplicationEdgesResolver } from '#resolvers/application/application-edges.resolver.js';
import { ApplicationsUpsertResolver } from '#resolvers/application/applications-upsert.resolver.js';
import { DeviceAttributeResolver, SiteAttributeResolver } from '#resolvers/attribute/attribute.resolver.js';
import { AuditResolver, historyResolvers } from '#resolvers/audit/audit.resolver.js';
import { ConfigurationResolver } from '#resolvers/bulk/configuration.resolver.js';
import { DeviceBatchResolver } from '#resolvers/bulk/device-batch.resolver.js';
import { CommandResolver, DeviceCommandsResolver } from '#resolvers/command/command.resolver.js';
import { DeviceStateResolver } from '#resolvers/command/device-state.resolver.js';
import { DeviceVoiceResolver } from '#resolvers/command/device-voice.resolver.js';
import { ApplicationDashboardResolver, DashboardResolver } from '#resolvers/dashboard/dashboard.resolver.js';
import {
  ApplicationDashboardLinksResolver,
  DashboardLinkResolver,
} from '#resolvers/dashboard/dashboard-link.resolver.js';
import { DeviceResolver } from '#resolvers/device/device.resolver.js';
import { DeviceEdgesResolver } from '#resolvers/device/device-edges.resolver.js';
import { DevicesUpsertResolver } from '#resolvers/device/devices-upsert.resolver.js';
import { MeterExchangeResolver } from '#resolvers/device/meter-exchange.resolver.js';
import { ExportResolver } from '#resolvers/export/export.resolver.js';
import { DeliveryResolver } from '#resolvers/hook/delivery.resolver.js';
import {
  DeliveryEdgesResolver,
  HookEdgesResolver,
  TeamGrantResolver,
} from '#resolvers/hook/delivery-edges.resolver.js';
import { HookHeaderResolver, HookResolver } from '#resolvers/hook/hook.resolver.js';
import { HookActivityResolver } from '#resolvers/hook/hook-activity.resolver.js';
import { HookSettingsResolver } from '#resolvers/hook/hook-settings.resolver.js';
import { HooksUpsertResolver } from '#resolvers/hook/hooks-upsert.resolver.js';
import { FileImportResolver } from '#resolvers/import/file-import.resolver.js';
import { JobResolver } from '#resolvers/job/job.resolver.js';
import { NetworkServerResolver } from '#resolvers/network-server/network-server.resolver.js';
import { NodeResolver } from '#resolvers/node/node.resolver.js';
import { DecodeResolver } from '#resolvers/product/decode.resolver.js';
import { FormulaPreviewResolver } from '#resolvers/product/formula-preview.resolver.js';
import { ProductResolver } from '#resolvers/product/product.resolver.js';
import { ProductEdgesResolver } from '#resolvers/product/product-edges.resolver.js';
import { ProductSettingsResolver } from '#resolvers/product/product-settings.resolver.js';
import { ProductsUpsertResolver } from '#resolvers/product/products-upsert.resolver.js';
import { ApplicationChartsResolver } from '#resolvers/record/application-charts.resolver.js';
import { GroupSeriesResolver, SiteGroupSeriesResolver } from '#resolvers/record/group-series.resolver.js';
import { LatestEdgesResolver, LatestResolver, LatestValueResolver } from '#resolvers/record/latest.resolver.js';
import { CommandsUpdatedResolver, DevicesChangedResolver, LiveResolver } from '#resolvers/record/live.resolver.js';
import { RecordResolver } from '#resolvers/record/record.resolver.js';
import {
  ApplicationActivityResolver,
  OrganizationActivityResolver,
} from '#resolvers/record/record-activity.resolver.js';
import { DeviceRecordsResolver, RecordEdgesResolver } from '#resolvers/record/record-edges.resolver.js';
import { SearchResolver } from '#resolvers/record/search.resolver.js';
import { SeriesEdgesResolver, SeriesResolver } from '#resolvers/record/series.resolver.js';
import { StatesResolver } from '#resolvers/record/states.resolver.js';
import { SiteResolver } from '#resolvers/site/site.resolver.js';
import { DeviceSiteEdgesResolver, DeviceSiteResolver, SiteEdgesResolver } from '#resolvers/site/site-edges.resolver.js';
import { SitesUpsertResolver } from '#resolvers/site/sites-upsert.resolver.js';
import { TeamResolver } from '#resolvers/team/team.resolver.js';
import { TeamEdgesResolver } from '#resolvers/team/team-edges.resolver.js';
import { TeamUpsertResolver } from '#resolvers/team/team-upsert.resolver.js';
import { ApiTokenResolver } from '#resolvers/token/api-token.resolver.js';
import { DeviceTokenResolver } from '#resolvers/token/device-token.resolver.js';
import { ProvisioningResolver } from '#resolvers/token/provisioning.resolver.js';
import { UsageResolver } from '#resolvers/usage/usage.resolver.js';
import type { Services } from './services.js';

/** Creates the resolvers. Returns each instance by its class. */
export function createResolvers(services: Services, { mqtt }: Pick<Config, 'mqtt'>): Map<ClassType, object> {
  const { alerts, clock, downlink, hooks, imports, index, jobs, live, mail, records, searchTimeout, stored } = services;
  const resolvers = [
    new AccountResolver(),
    new AlertRuleResolver(alerts, { index, stored, timeoutMs: searchTimeout }, clock),
    new ApiTokenResolver(clock),
    new ApplicationAlertRulesResolver(),
    new ApplicationEpisodesResolver(),
    new DeviceEpisodesResolver(),
    new OrganizationEpisodesResolver(),
    new EpisodeNoticesResolver(),
    new EpisodeResolver(clock),
    new DeviceTokenResolver(clock),
    new ApiTokenEdgesResolver(),
    new ApplicationActivityResolver(clock),
    new ApplicationChartsResolver(index),
    new ApplicationEdgesResolver(index),
    new ApplicationResolver(index),
    new AuditResolver(),
    ...historyResolvers.map((History) => new History() as object),
    new ApplicationDashboardResolver(),
    new DashboardResolver(clock),
    new ApplicationDashboardLinksResolver(),
    new DashboardLinkResolver(clock),
    new DecodeResolver(jobs),
    new DeliveryEdgesResolver(index),
    new DeliveryResolver(hooks, jobs),
    new DeviceBatchResolver(jobs, index, clock, services.bus),
    new DeviceEdgesResolver(index),
    new DeviceResolver(index),
    new FormulaPreviewResolver(index),
    new FileImportResolver(imports, jobs),
    new ExportResolver(),
    new GroupSeriesResolver(index),
    new SiteGroupSeriesResolver(index),
    new HookActivityResolver(clock),
    new HookEdgesResolver(),
    new HookHeaderResolver(hooks),
    new HookResolver(hooks),
    new HookSettingsResolver(hooks),
    new InvitationResolver(clock, mail?.invite),
    new JobResolver(jobs),
    new DeviceRecordsResolver(index),
    new LatestEdgesResolver(),
    new LatestValueResolver(),
    new LatestResolver(index),
    new RecordEdgesResolver(),
    new SessionResolver(),
    new SeriesEdgesResolver(),
    new SeriesResolver(index),
    new StatesResolver(index),
    new MeterExchangeResolver(),
    ...downlinkResolvers(services),
    new NodeResolver(index),
    new LiveResolver(live, jobs, index),
    new CommandsUpdatedResolver(),
    new DevicesChangedResolver(),
    new OrganizationActivityResolver(clock),
    new OrganizationEdgesResolver(index),
    new OrganizationResolver(),
    new ProductEdgesResolver(),
    new ProductResolver(),
    new ProductSettingsResolver(),
    new ProvisioningResolver(clock),
    new ConfigurationResolver(),
    new DevicesUpsertResolver(clock),
    new DeviceAttributeResolver(clock),
    new SiteAttributeResolver(clock),
    new ProductsUpsertResolver(),
    new ApplicationsUpsertResolver(),
    new HooksUpsertResolver(hooks),
    new AlertRulesUpsertResolver(alerts, index, clock),
    new TeamUpsertResolver(),
    new SiteResolver(),
    new SiteEdgesResolver(index),
    new DeviceSiteResolver(),
    new DeviceSiteEdgesResolver(),
    new SitesUpsertResolver(clock),
    new RecordResolver(records, downlink, services.network),
    new SearchResolver(index),
    new TeamEdgesResolver(),
    new TeamGrantResolver(),
    new TeamResolver(),
    new UsageResolver(clock),
    new UserEdgesResolver(),
    new ViewerResolver(
      mqtt === undefined || mqtt.port === 0 ? null : { port: mqtt.port, encrypted: mqtt.tls !== undefined },
    ),
    ...organizationEdges.map((Edge) => new Edge()),
  ];
  return new Map(resolvers.map((resolver) => [resolver.constructor as ClassType, resolver]));
}

/** Creates the resolvers of what is sent to devices. */
const downlinkResolvers = ({ bus, clock, downlink, hooks, network }: Services): object[] => [
  new CommandResolver(bus, clock),
  new DeviceCommandsResolver(),
  new DeviceVoiceResolver(downlink),
  new DeviceStateResolver(bus),
  new NetworkServerResolver(network, (address) => hooks.requireUrl(address, 'address')),
];
