import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { AccountType, type TokenScope } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { Client } from './client.js';
import { plainPoolOf } from './connection.js';
import type { TestService } from './service.js';

/** Options of a new token. */
export interface Key {
  userId?: string;
  scope?: TokenScope;
  expiresAt?: Date;
}

/** An organization of a test service. */
export class Tenant {
  constructor(
    private readonly service: TestService,
    readonly id: string,
    /** Client with the organization's own token, which counts as an owner. */
    readonly owner: Client,
  ) {}

  /** Creates a client with a new token. */
  async client(key: Key = {}): Promise<Client> {
    const { token } = await withDatabase(this.service, (db) =>
      createToken(db, { organizationId: this.id, ...key }, new Date()),
    );
    return new Client(this.owner.base, token);
  }

  /** Creates a user who is a member, and a client for the user. */
  async member(role: 'owner' | 'member' = 'member'): Promise<{ id: string; client: Client }> {
    const id = await createUser(this.service);
    await this.owner.put(`/organizations/${this.id}/members/${id}`, { role });
    return { id, client: await this.client({ userId: id }) };
  }
}

/** Creates an organization. */
export async function createTenant(service: TestService): Promise<Tenant> {
  const { id, token } = await withDatabase(service, async (db) => {
    const organizationId = await createAccount(db, AccountType.organization, newAccount(), new Date());
    return { id: organizationId, token: (await createToken(db, { organizationId }, new Date())).token };
  });
  return new Tenant(service, id, new Client(`${service.url}/ddp/v1`, token));
}

/** Creates a user and returns its identifier. */
export const createUser = (service: TestService): Promise<string> =>
  withDatabase(service, (db) => createAccount(db, AccountType.user, newAccount(), new Date()));

const newAccount = () => {
  const username = `test-${randomBytes(6).toString('hex')}`;
  return { username, email: `${username}@test.example`, name: 'Test' };
};

/**
 * Provides a connection to the service's database for one piece of work. In its session, `record` is the table that the
 * services of this run write.
 */
export async function withDatabase<Result>(
  service: TestService,
  work: (db: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const db = await plainPoolOf(service.databaseUrl).connect();
  try {
    const result = await work(db);
    db.release();
    return result;
  } catch (error) {
    // The connection may have an open transaction.
    db.release(true);
    throw error;
  }
}
