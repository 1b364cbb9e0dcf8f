import { afterAll, beforeAll } from '@jest/globals';
import sql from 'sql-template-tag';
import { createLog } from '#common/log.js';
import { minuteMs } from '#common/time.js';
import { readConfig } from '#config/config.js';
import type { AlertRecipientState } from '#entities/alert-recipient.js';
import { newId } from '#entities/id.js';
import { until } from '../support/until.js';
import { AccountActor, useWorld, type World } from '../support/world.js';
import { type MailServer, mailOrigin, type ReceivedMail, startMailServer } from './mail-server.js';

/** An application with a device, and rules that have recipients. */
export interface Site {
  owner: AccountActor;
  /** Path of the application. */
  path: string;
  /** Stores a record of the device with this value and a later time than all before. */
  send(t: number): Promise<void>;
  /** Creates a rule that opens above 8 and closes at any other value. */
  rule(recipients: string[], more?: object): Promise<string>;
  /** Returns the state of each recipient of a rule. */
  states(ruleId: string): Promise<RecipientState[]>;
}

export interface RecipientState {
  address: string;
  state: AlertRecipientState;
  reason: string | null;
  since: string | null;
}

/** A service that sends e-mail, its mail server, and its time. */
export interface MailWorld extends World {
  readonly server: MailServer;
  /** The log of the service, as text. */
  readonly log: string;
  /** Sets the clock forward, and lets the service poll for due mails. */
  advance(milliseconds: number): Promise<void>;
  /** @param url of another process over the same database */
  site(url?: string): Promise<Site>;
  /** Waits until the address has received `count` mails, ignoring case. */
  mailsTo(address: string, count: number): Promise<ReceivedMail[]>;
  /** Opens the page of a link as a browser does. */
  open(link: string, method?: string): Promise<{ status: number; body: string; headers: Headers }>;
  /** Returns the link of a mail at the address of the service. */
  linkOf(mail: ReceivedMail, path: 'confirm' | 'stop'): string;
  /** Creates a rule that names the address, and confirms the address. */
  confirmed(site: Site, address: string): Promise<string>;
}

/** Returns an address that no other test uses. */
export const someAddress = () => `ops-${newId()}@example.com`;

/**
 * Starts a mail server and a service that sends by it before the tests of the file.
 * @param sends whether the service itself sends; else only other processes do
 * @param allowCidrs private networks that hooks may call
 */
export function useMailWorld({
  sends = true,
  allowCidrs = [],
}: {
  sends?: boolean;
  allowCidrs?: readonly string[];
} = {}): MailWorld {
  let server: MailServer;
  let ahead = 0;
  let log = '';
  const settings = { RATE_LIMIT: '0', PORT: '0', HOOK_ALLOW_CIDRS: allowCidrs.join(',') };
  const config = { ...readConfig(settings), publicUrl: mailOrigin };
  beforeAll(async () => {
    server = await startMailServer();
    if (sends) config.mail = server.config;
  });
  const world = useWorld({
    config,
    clock: () => Date.now() + ahead,
    log: createLog('debug', { write: (line) => (log += line) }),
  });
  afterAll(() => server.close());
  const mail: MailWorld = Object.assign(Object.create(world) as World, {
    server: undefined as never,
    log: '',
    async advance(milliseconds: number) {
      ahead += milliseconds;
      await (await mail.site()).rule([]);
    },
    site: (url?: string) => siteOf(world, url),
    async mailsTo(address: string, count: number) {
      const found = () =>
        server.mails.filter(({ to }) => to.some((each) => each.toLowerCase() === address.toLowerCase()));
      await until(() => found().length >= count);
      return found();
    },
    async open(link: string, method = 'GET') {
      const response = await fetch(link.replace(mailOrigin, world.url), { method, headers: { accept: 'text/html' } });
      return { status: response.status, body: await response.text(), headers: response.headers };
    },
    linkOf: (received: ReceivedMail, path: 'confirm' | 'stop') => received.link(path).replace(mailOrigin, world.url),
    async confirmed(site: Site, address: string) {
      const ruleId = await site.rule([address]);
      const [ask] = await mail.mailsTo(address, 1);
      await mail.open(ask!.link('confirm'), 'POST');
      return ruleId;
    },
  });
  return Object.defineProperties(mail, { server: { get: () => server }, log: { get: () => log } });
}

/**
 * Makes the silences of an organization two minutes long. The clock of the service cannot be set forward for that: a
 * jump counts as an outage, which is no silence.
 */
export const longSilent = ({ pool }: Pick<World, 'pool'>, site: Site) =>
  pool.query(sql`
    with heard as (
      update alert_device a set arrived_at = a.arrived_at - interval '2 min' from device d
       where d.id = a.device_id and d.organization_id = ${site.owner.id})
    update alert_state s set started_at = s.started_at - interval '2 min', due_at = s.due_at - interval '2 min'
      from alert_rule r where r.id = s.rule_id and r.organization_id = ${site.owner.id} and s.due_at is not null`);

const siteOf = async (world: World, url = world.url): Promise<Site> => {
  const { id: organizationId, token } = await world.organization();
  const owner = new AccountActor(url, token!, organizationId);
  const serial = newId().slice(-12);
  const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
  const deviceId = await owner.make(`/organizations/${owner.id}/devices/${serial}`, { name: 'Freezer 3' });
  const path = `/applications/${owner.id}/${applicationId}`;
  await owner.put(`${path}/devices/${deviceId}`);
  let ts = Math.floor((Date.now() - 60 * minuteMs) / 1000);
  return {
    owner,
    path,
    async send(t) {
      await owner.post(`/organizations/${owner.id}/records`, [{ serial, ts: (ts += 1), data: { t } }]);
    },
    rule: (recipients, more) =>
      owner.make(`${path}/alert-rules`, {
        name: 'Too warm',
        kind: 'threshold',
        severity: 'critical',
        when: { all: [{ variable: 't', operator: 'gt', value: 8 }] },
        recipients,
        ...more,
      }),
    async states(alertRuleId) {
      const { body } = await owner.graph(
        `query ($organizationId: ID!, $applicationId: ID!, $alertRuleId: ID!) {
          alertRule(organizationId: $organizationId, applicationId: $applicationId, alertRuleId: $alertRuleId) {
            recipientStates { address state reason since } } }`,
        { organizationId: owner.id, applicationId, alertRuleId },
      );
      return body.data?.['alertRule'].recipientStates as RecipientState[];
    },
  };
};
