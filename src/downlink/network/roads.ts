import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Vault } from '#calls/vault.js';
import type { Log } from '#common/log.js';
import { newId } from '#entities/id.js';
import type { NetworkServerKindName } from '#entities/network-server.js';
import type { Road } from './dialect.js';
import { keyPlace } from './server.js';

/** A road by which a device was heard. */
export interface HeardRoad extends Road {
  organizationId: string;
  kind: NetworkServerKindName;
  serialKey: string;
}

/** A network server that an uplink named. */
export interface Proposal {
  organizationId: string;
  kind: NetworkServerKindName;
  application: string;
  address: string;
  apiKey: string;
}

/** Maximum number of roads and proposals that a process remembers to have stored. */
const maxKnown = 50_000;
/** Maximum number of roads that wait to be stored; others are stored with the next uplink. */
const maxWaiting = 10_000;
/** Number of roads of one statement. */
const piece = 1000;
/** Time after which a road is stored again although nothing changed, in milliseconds: another process may have changed it. */
const knownFor = 600_000;
/** Delay with which roads are stored together, in milliseconds. */
const delay = 100;
/** Maximum number of proposals of an organization. */
const maxProposals = 20;

/**
 * Stores the roads to devices, and the servers that uplinks propose. An uplink by a road that this process has stored
 * lately costs only a lookup in memory; the others are stored together, after the uplink was answered.
 */
export class Roads {
  /** Times at which what was stored, the oldest first. */
  private readonly known = new Map<string, number>();
  private waiting = new Map<string, HeardRoad>();
  private timer: NodeJS.Timeout | undefined;
  private storing: Promise<void> = Promise.resolve();

  constructor(private readonly options: { pool: Pool; vault: Vault; log: Log; clock: () => number }) {}

  hear(road: HeardRoad): void {
    const { organizationId, kind, serialKey, application, device } = road;
    if (this.isKnown(`${organizationId} ${serialKey}`, `${kind} ${application} ${device}`)) return;
    if (this.waiting.size >= maxWaiting) return;
    this.waiting.set(`${organizationId} ${serialKey}`, road);
    this.timer ??= setTimeout(() => this.flush(), delay);
  }

  /** Stores a proposal, unless the application has a network server. */
  async propose(proposal: Proposal): Promise<void> {
    const { organizationId, kind, application, address, apiKey } = proposal;
    // Only a digest of the key stays in memory.
    const digest = createHash('sha256').update(apiKey).digest('base64url');
    if (this.isKnown(`${organizationId} ${kind} ${application} ${address}`, digest)) return;
    const { pool, vault, clock, log } = this.options;
    const id = newId();
    const at = new Date(clock());
    const stored = pool.query(sql`
      insert into network_server (id, organization_id, kind, name, address, application, api_key, proposed, created_at, updated_at)
      select ${id}, ${organizationId}, ${kind}, ${application}, ${address}, ${application}, ${vault.seal(apiKey, keyPlace(id))}, true, ${at}, ${at}
       where not exists (select from network_server where organization_id = ${organizationId} and kind = ${kind}
                            and application = ${application} and not proposed)
         and (select count(*) < ${maxProposals} from network_server where organization_id = ${organizationId} and proposed)
      on conflict (organization_id, kind, application, address) where proposed do nothing`);
    await stored.catch((error: unknown) => {
      // The uplink is stored: it is not refused for a proposal.
      this.known.clear();
      log.warn({ err: error }, 'A network server cannot be proposed');
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.flush();
    await this.storing;
  }

  private isKnown(subject: string, value: string): boolean {
    const key = `${subject} ${value}`;
    const now = this.options.clock();
    const at = this.known.get(key);
    if (at !== undefined && at > now - knownFor && at <= now) return true;
    this.known.delete(key);
    this.known.set(key, now);
    if (this.known.size > maxKnown) this.known.delete(this.known.keys().next().value!);
    return false;
  }

  private flush(): void {
    this.timer = undefined;
    const roads = [...this.waiting.values()];
    this.waiting = new Map();
    const { log } = this.options;
    this.storing = this.storing.then(async () => {
      for (let at = 0; at < roads.length; at += piece)
        await this.store(roads.slice(at, at + piece)).catch((error: unknown) => {
          // The next uplinks of these devices try again.
          this.known.clear();
          log.warn({ err: error }, 'Roads to devices cannot be stored');
        });
    });
  }

  private async store(roads: readonly HeardRoad[]): Promise<void> {
    await this.options.pool.query(sql`
      insert into device_road as r (device_id, organization_id, kind, application, name)
      select distinct on (d.id) d.id, d.organization_id, v.kind, v.application, v.device
        from jsonb_to_recordset(${JSON.stringify(roads)}::jsonb)
          v ("organizationId" uuid, "serialKey" text, kind text, application text, device text)
        join device d on d.organization_id = v."organizationId" and d.serial_key = v."serialKey"
       where not exists (select from device_road k where k.device_id = d.id and k.kind = v.kind
                            and k.application = v.application and k.name = v.device)
       order by d.id
      on conflict (device_id) do update
         set kind = excluded.kind, application = excluded.application, name = excluded.name`);
  }
}
