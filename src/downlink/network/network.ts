import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { OutgoingCaller } from '#calls/caller.js';
import type { Vault } from '#calls/vault.js';
import type { CommitBus } from '#common/commit-bus.js';
import type { Log } from '#common/log.js';
import type { NetworkServerKindName, NetworkServerTest } from '#entities/network-server.js';
import { serialKey } from '#entities/serial.js';
import type { PlainJson } from '#json/json.js';
import { isObject } from '#records/sources/source.js';
import { createAsk, keyLost } from './ask.js';
import type { Road } from './dialect.js';
import { dialects } from './dialects.js';
import { hearEvidence } from './hear.js';
import { Pusher } from './pusher.js';
import { Roads } from './roads.js';
import { keyPlace, type StoredServer } from './server.js';
import { explain } from './verdict.js';

export interface NetworkOptions {
  pool: Pool;
  caller: OutgoingCaller;
  vault: Vault;
  bus: CommitBus;
  log: Log;
  /** Waits between attempts, in milliseconds. */
  schedule: readonly number[];
  /** Deadline of a call, in milliseconds. */
  timeout: number;
  clock: () => number;
  random: () => number;
}

/** An event that a network server posted. */
export interface NetworkEvent {
  organizationId: string;
  kind: NetworkServerKindName;
  body: PlainJson;
  /** Kind of the event, if its body does not say it. */
  event?: string;
  /** Address and key for downlinks, in headers of The Things Stack. */
  downlink?: { push: string; apiKey: string } | undefined;
}

/** Speaks to network servers, and hears what they say about commands. */
export interface Network {
  /** Encrypts the key of a network server. */
  sealKey(serverId: string, key: string): string;
  /** Asks a server whether it would take commands. */
  test(server: StoredServer): Promise<NetworkServerTest>;
  /** Stores the evidence about commands in an event, and the road to its device if the event was stored. */
  hear(event: NetworkEvent, isStored: boolean): Promise<void>;
  start(): void;
  /** Finishes calls within this number of milliseconds, then cuts them off. */
  close(within: number): Promise<void>;
}

/** Creates the network. */
export function createNetwork(options: NetworkOptions): Network {
  const { pool, caller, vault, bus, log, clock } = options;
  const ask = createAsk(caller, vault);
  const roads = new Roads({ pool, vault, log, clock });
  const pusher = new Pusher({ ...options, ask, onSettled: (devices) => bus.emit('downlink', [...devices]) });
  bus.on('downlink', () => pusher.wake());
  return {
    sealKey: (serverId, key) => vault.seal(key, keyPlace(serverId)),
    async test(server) {
      const { organizationId, kind, application } = server;
      const { rows } = await pool.query<{ name: string }>(sql`
        select name from device_road
         where organization_id = ${organizationId} and kind = ${kind} and application = ${application} limit 1`);
      const asked = await ask(server, dialects[kind].test(application, rows[0]?.name)).catch(keyLost);
      if (!('outcome' in asked)) return { ok: false, ...asked };
      const { outcome, hide } = asked;
      const { answer } = outcome;
      if (answer !== undefined && dialects[kind].isTaken(answer.statusCode, answer.body.toString('utf8')))
        return { ok: true, message: 'The network server takes commands.', statusCode: answer.statusCode };
      const { status, ...refusal } = explain(outcome, hide);
      return { ok: false, ...refusal, ...(status !== undefined && { statusCode: status }) };
    },
    async hear({ organizationId, kind, body, event = '', downlink }, isStored) {
      const serial = isObject(body) ? dialects[kind].serialOf(body) : undefined;
      if (!isObject(body) || serial === undefined) return;
      const key = serialKey(serial);
      const road = isStored ? dialects[kind].roadOf(body) : undefined;
      if (road !== undefined && isSound(road)) {
        roads.hear({ organizationId, kind, serialKey: key, ...road });
        const address = downlink && addressOf(downlink.push);
        if (address !== undefined && isKey(downlink!.apiKey))
          await roads.propose({
            organizationId,
            kind,
            application: road.application,
            address,
            apiKey: downlink!.apiKey,
          });
      }
      for (const heard of dialects[kind].evidenceIn(body, event)) {
        const deviceId = await hearEvidence(pool, { organizationId, serialKeys: [key] }, heard);
        if (deviceId !== undefined) bus.emit('downlink', [deviceId]);
      }
    },
    start: () => pusher.start(),
    async close(within) {
      const cut = setTimeout(() => caller.cut(), within);
      await Promise.all([pusher.close(), roads.close()]);
      clearTimeout(cut);
      await caller.close();
    },
  };
}

/** Whether names are those that network servers give. */
const isSound = ({ application, device }: Road): boolean =>
  [application, device].every((name) => /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(name));

const isKey = (key: string): boolean => /^[\x21-\x7e]{1,2000}$/.test(key);

/** Returns the address in the `X-Downlink-Push` of The Things Stack; undefined if it has another form. */
const addressOf = (push: string): string | undefined => {
  const [, address] =
    /^(https?:\/\/[^\s?#@]{1,500}?)\/api\/v3\/as\/applications\/[^\s?#]{1,400}\/down\/push$/.exec(push) ?? [];
  return address !== undefined && URL.canParse(address) ? address : undefined;
};
