import { Account } from './account.js';
import { AlertRule } from './alert-rule.js';
import { ApiToken } from './api-token.js';
import { Application } from './application.js';
import { Device } from './device.js';
import { Hook } from './hook.js';
import { Invitation } from './invitation.js';
import { Membership } from './membership.js';
import { NetworkServer } from './network-server.js';
import { Product } from './product.js';
import { Site } from './site.js';
import { Team } from './team.js';

/** All entity classes of the unit of work. */
export const entities = [
  Account,
  AlertRule,
  ApiToken,
  Application,
  Device,
  Hook,
  Invitation,
  Membership,
  NetworkServer,
  Product,
  Site,
  Team,
];
