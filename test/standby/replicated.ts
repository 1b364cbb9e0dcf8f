import pg from 'pg';
import type { Service } from '#app/app.js';
import { createLog, type Log } from '#common/log.js';
import { AccountType } from '#entities/enums.js';
import { createAccount } from '#operator/account.js';
import { createToken } from '#operator/token.js';
import { openReplication, type Replication } from '../support/standby.js';
import { startTestService } from '../support/start-service.js';
import { until } from '../support/until.js';
import { AccountActor } from '../support/world.js';

/** A service over a primary with standbys, and an organization with a device in an application. */
export interface ReplicatedWorld extends Replication {
  readonly service: Service;
  readonly organization: AccountActor;
  readonly token: string;
  readonly deviceId: string;
  readonly applicationId: string;
  readonly hookId: string;
  /** Stores a record of the device. */
  store(by?: AccountActor): Promise<void>;
  /** Searches, and returns the number of the device's records; -1 unless the answer is a 200. */
  count(by?: AccountActor): Promise<number>;
  /** Returns the value of a metric with a label, 0 if there is none. */
  metric(name: string, label: string, of?: Service): Promise<number>;
  /** Waits until the standbys answer reads. */
  used(of?: Service): Promise<void>;
}

/** Returns the address of a server in the form that metrics have. */
export const serverAddress = ({ url }: { url: string }): string => new URL(url).host;

const serial = '00-00-00-00-00-00-00-01';
const everything = { ts: { gte: 0, lte: 4_102_444_800 }, queries: [{ products: [], size: 0, track_total_hits: true }] };

/** Opens a world. */
export async function openReplicated(
  standbys = 1,
  settings: Readonly<Record<string, string>> = {},
  log: Log = createLog('fatal'),
): Promise<ReplicatedWorld> {
  const replication = await openReplication(standbys, settings);
  const { primary } = replication;
  const databaseReadUrls = replication.standbys.map(({ url }) => url);
  let service: Service | undefined;
  const close = async () => {
    await service?.close();
    await replication.close();
  };
  try {
    const own = await startTestService(primary.url, { log, config: { databaseReadUrls } });
    service = own;
    const { id, token } = await createOrganization(primary.url);
    const organization = new AccountActor(own.url, token, id);
    const applicationId = await organization.make(`/organizations/${id}/applications`, { name: 'Application' });
    const deviceId = await organization.make(`/organizations/${id}/devices/${serial}`);
    await organization.put(`/applications/${id}/${applicationId}/devices/${deviceId}`);
    const hookId = await organization.make(`/applications/${id}/${applicationId}/hooks`, {
      url: 'http://127.0.0.1:9/',
      disabled: true,
    });
    return {
      ...replication,
      service: own,
      organization,
      token,
      deviceId,
      applicationId,
      hookId,
      async store(by = organization) {
        const { status, body } = await by.post(`/organizations/${id}/records`, { serial, data: { value: 1 } });
        if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
      },
      async count(by = organization) {
        const { status, body } = await by.post<Found>(`/applications/${id}/${applicationId}/search`, everything);
        return status === 200 ? body.responses[0]!.hits.total.value : -1;
      },
      async metric(name, label, of = own) {
        const text = await of.registry.getSingleMetricAsString(name);
        const line = text.split('\n').find((each) => each.includes(`"${label}"`));
        return line === undefined ? 0 : Number(line.split(' ').at(-1));
      },
      async used(of = own) {
        for (const standby of replication.standbys) {
          await until(async () => {
            const text = await of.registry.getSingleMetricAsString('ddp_standby_away');
            return text.includes(`"${serverAddress(standby)}"} 0`);
          });
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Found {
  responses: { hits: { total: { value: number } } }[];
}

async function createOrganization(url: string): Promise<{ id: string; token: string }> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const account = { username: 'tenant', email: 'tenant@example.com' };
    const id = await createAccount(pool, AccountType.organization, account, new Date());
    return { id, token: (await createToken(pool, { organizationId: id }, new Date())).token };
  } finally {
    await pool.end();
  }
}
