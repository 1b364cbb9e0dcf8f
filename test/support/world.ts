import type pg from 'pg';
import { AccountType, type Role } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken, type NewToken } from '#operator/token.js';
import { Actor } from './actor.js';
import { poolOf } from './connection.js';
import { type TestService, useService } from './service.js';
import { type TestServiceOptions } from './start-service.js';

/** An account that calls the service: an organization, or a user in an organization. */
export class AccountActor extends Actor {
  constructor(
    origin: string,
    token: string,
    readonly id: string,
  ) {
    super(origin, token);
  }
}

/** A running service with functions that create its callers as an operator would. */
export interface World extends TestService {
  readonly pool: pg.Pool;
  anonymous(): Actor;
  organization(): Promise<AccountActor>;
  /** Creates a user of the platform. */
  user(): Promise<string>;
  /** Creates a user who is a member of the organization, with a token of its own. */
  member(organization: AccountActor, role: Role): Promise<AccountActor>;
  /** Creates a caller with this new token. */
  bearer(token: NewToken): Promise<Actor>;
}

let made = 0;
const login = () => `account-${process.pid}-${++made}`;

/** Gives the test file a service before its tests, with functions that create callers. */
export function useWorld(options?: TestServiceOptions): World {
  const service = useService(options);
  const account = (type: AccountType) => {
    const username = login();
    return createAccount(poolOf(service.databaseUrl), type, { username, email: `${username}@example.com` }, new Date());
  };
  const tokenOf = async (token: NewToken) => (await createToken(poolOf(service.databaseUrl), token, new Date())).token;
  return {
    get url() {
      return service.url;
    },
    get mqttUrl() {
      return service.mqttUrl;
    },
    get databaseUrl() {
      return service.databaseUrl;
    },
    get pool() {
      return poolOf(service.databaseUrl);
    },
    anonymous: () => new Actor(service.url, undefined),
    async organization() {
      const id = await account(AccountType.organization);
      return new AccountActor(service.url, await tokenOf({ organizationId: id }), id);
    },
    user: () => account(AccountType.user),
    async member(organization, role) {
      const userId = await account(AccountType.user);
      await organization.put(`/organizations/${organization.id}/members/${userId}`, { role });
      return new AccountActor(service.url, await tokenOf({ organizationId: organization.id, userId }), userId);
    },
    bearer: async (token) => new Actor(service.url, await tokenOf(token)),
  };
}
