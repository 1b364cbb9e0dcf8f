import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { AccountType, type TokenScope } from '../../src/entities/enums.js';
import { createAccount } from '../../src/operator/account.js';
import { createToken } from '../../src/operator/token.js';
import { Client } from './client.js';
import { plainPoolOf } from './connection.js';
import type { TestService } from './service.js';

/** What a token is made with. */
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
    /** The organization itself, which counts as owner. */
    readonly owner: Client,
  ) {}

  /** A client with a token of its own. */
  async client(key: Key = {}): Promise<Client> {
    const { token } = await withDatabase(this.service, (db) =>
      createToken(db, { organizationId: this.id, ...key }, new Date()),
    );
    return new Client(this.owner.base, token);
  }

  /** A new user who is a member, and its client. */
  async member(role: 'owner' | 'member' = 'member'): Promise<{ id: string; client: Client }> {
    const id = await createUser(this.service);
    await this.owner.put(`/organizations/${this.id}/members/${id}`, { role });
    return { id, client: await this.client({ userId: id }) };
  }
}

/** Makes an organization. */
export async function createTenant(service: TestService): Promise<Tenant> {
  const { id, token } = await withDatabase(service, async (db) => {
    const organizationId = await createAccount(db, AccountType.organization, newAccount(), new Date());
    return { id: organizationId, token: (await createToken(db, { organizationId }, new Date())).token };
  });
  return new Tenant(service, id, new Client(`${service.url}/ddp/v1`, token));
}

/** Makes a user and gives its id. */
export const createUser = (service: TestService): Promise<string> =>
  withDatabase(service, (db) => createAccount(db, AccountType.user, newAccount(), new Date()));

const newAccount = () => {
  const username = `test-${randomBytes(6).toString('hex')}`;
  return { username, email: `${username}@test.example`, name: 'Test' };
};

/** Lends a connection to the service's database for one piece of work; `record` is where this run's services store records. */
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
    // A transaction may be open on it.
    db.release(true);
    throw error;
  }
}
