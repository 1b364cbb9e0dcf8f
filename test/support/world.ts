import { afterAll, beforeAll } from '@jest/globals';
import type pg from 'pg';
import { createPool } from '../../src/database/pools.js';
import { AccountType, type Role, type TokenScope } from '../../src/entities/enums.js';
import { createAccount } from '../../src/operator/account.js';
import { createToken } from '../../src/operator/token.js';
import { type Actor, actorOf } from './actor.js';
import { type TestService, type TestServiceOptions, useService } from './service.js';

/** An organization that calls as itself. */
export interface OrganizationActor extends Actor {
  readonly id: string;
}

/** A member that calls as itself in its organization. */
export interface MemberActor extends Actor {
  readonly userId: string;
}

/** A running service, and the people who use it, made as an operator would make them. */
export interface World extends TestService {
  readonly pool: pg.Pool;
  anonymous(): Actor;
  organization(): Promise<OrganizationActor>;
  /** A user of the platform. */
  user(): Promise<string>;
  /** A new user as a member of the organization, with a token of its own. */
  member(organization: OrganizationActor, role: Role): Promise<MemberActor>;
  /** Whoever has this new token. */
  bearer(token: { organizationId: string; userId?: string; scope?: TokenScope; expiresAt?: Date }): Promise<Actor>;
}

let made = 0;
const login = () => `account-${process.pid}-${++made}`;

/** Starts a service before the tests of the file, with a way to make who calls it. */
export function useWorld(options?: TestServiceOptions): World {
  const service = useService(options);
  let pool: pg.Pool;
  beforeAll(() => {
    pool = createPool(service.databaseUrl, { max: 3 });
  });
  afterAll(() => pool.end());
  const actor = (token: string | undefined) => actorOf(() => service.url, token);
  const account = (type: AccountType) => {
    const username = login();
    return createAccount(pool, type, { username, email: `${username}@example.com` }, new Date());
  };
  const bearer: World['bearer'] = async (token) => actor((await createToken(pool, token, new Date())).token);
  return {
    get url() {
      return service.url;
    },
    get databaseUrl() {
      return service.databaseUrl;
    },
    get pool() {
      return pool;
    },
    anonymous: () => actor(undefined),
    async organization() {
      const id = await account(AccountType.organization);
      return { ...(await bearer({ organizationId: id })), id };
    },
    user: () => account(AccountType.user),
    async member(organization, role) {
      const userId = await account(AccountType.user);
      await organization.put(`/organizations/${organization.id}/members/${userId}`, { role });
      return { ...(await bearer({ organizationId: organization.id, userId })), userId };
    },
    bearer,
  };
}
