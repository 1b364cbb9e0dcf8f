import { ObjectType } from 'type-graphql';
import { OrganizationMember, TeamMemberListItem, User } from '#entities/account.js';
import { AlertRule } from '#entities/alert-rule.js';
import { ApiToken } from '#entities/api-token.js';
import { Application, ApplicationListItem } from '#entities/application.js';
import { AuditEvent } from '#entities/audit-event.js';
import { Command } from '#entities/command.js';
import { Delivery, DeliveryListItem } from '#entities/delivery.js';
import { Device, DeviceListItem } from '#entities/device.js';
import { DeviceSite } from '#entities/device-site.js';
import { Episode } from '#entities/episode.js';
import { Hook, HookListItem } from '#entities/hook.js';
import { Invitation } from '#entities/invitation.js';
import { Job } from '#entities/job.js';
import { DeviceLatest } from '#entities/latest.js';
import { NetworkServer } from '#entities/network-server.js';
import { Product, ProductListItem, PublicProductListItem } from '#entities/product.js';
import { ProvisioningToken } from '#entities/provisioning-token.js';
import { DeviceRecord } from '#entities/record.js';
import { Session } from '#entities/session.js';
import { Site } from '#entities/site.js';
import { Team, TeamListItem } from '#entities/team.js';
import { TeamGrant } from '#entities/team-grant.js';
import { UsageDay } from '#entities/usage.js';
import { createPageType, createWalkedPageType } from './page.js';

@ObjectType({ description: 'A page of users.' })
export class UserPage extends createPageType(User) {}

@ObjectType({ description: 'A page of members of an organization.' })
export class OrganizationMemberPage extends createPageType(User, OrganizationMember) {}

@ObjectType({ description: 'A page of members of a team.' })
export class TeamMemberPage extends createPageType(User, TeamMemberListItem) {}

@ObjectType({ description: 'A page of teams.' })
export class TeamPage extends createPageType(Team, TeamListItem) {}

@ObjectType({ description: 'A page of public products.' })
export class PublicProductPage extends createPageType(Product, PublicProductListItem) {}

@ObjectType({ description: 'A page of products.' })
export class ProductPage extends createPageType(Product, ProductListItem) {}

@ObjectType({ description: 'A page of devices.' })
export class DevicePage extends createPageType(Device, DeviceListItem) {}

@ObjectType({ description: 'A page of sites.' })
export class SitePage extends createPageType(Site) {}

@ObjectType({ description: 'A page of the sites at which a device was.' })
export class DeviceSitePage extends createPageType(DeviceSite) {}

@ObjectType({ description: 'A page of the newest values of devices.' })
export class DeviceLatestPage extends createPageType(DeviceLatest) {}

@ObjectType({ description: 'A page of applications.' })
export class ApplicationPage extends createPageType(Application, ApplicationListItem) {}

@ObjectType({ description: 'A page of tokens.' })
export class ApiTokenPage extends createPageType(ApiToken) {}

@ObjectType({ description: 'A page of provisioning tokens.' })
export class ProvisioningTokenPage extends createPageType(ProvisioningToken) {}

@ObjectType({ description: 'A page of network servers.' })
export class NetworkServerPage extends createPageType(NetworkServer) {}

@ObjectType({ description: 'A page of usage.' })
export class UsagePage extends createPageType(UsageDay) {}

@ObjectType({ description: 'A page of jobs.' })
export class JobPage extends createPageType(Job) {}

@ObjectType({ description: 'A page of hooks.' })
export class HookPage extends createPageType(Hook, HookListItem) {}

@ObjectType({ description: 'A page of deliveries.' })
export class DeliveryPage extends createWalkedPageType(Delivery, DeliveryListItem) {}

@ObjectType({ description: 'A page of commands.' })
export class CommandPage extends createPageType(Command) {}

@ObjectType({ description: 'A page of records.' })
export class RecordPage extends createWalkedPageType(DeviceRecord) {}

@ObjectType({ description: 'A page of the applications that a team gives access to.' })
export class TeamGrantPage extends createPageType(TeamGrant) {}

@ObjectType({ description: 'A page of alert rules.' })
export class AlertRulePage extends createPageType(AlertRule) {}

@ObjectType({ description: 'A page of episodes.' })
export class EpisodePage extends createPageType(Episode) {}

@ObjectType({ description: 'A page of events of the audit log.' })
export class AuditEventPage extends createPageType(AuditEvent) {}

@ObjectType({ description: 'A page of sessions.' })
export class SessionPage extends createPageType(Session) {}

@ObjectType({ description: 'A page of invitations.' })
export class InvitationPage extends createPageType(Invitation) {}
