import { describe, expect, it } from '@jest/globals';
import sql from 'sql-template-tag';
import { dayMs, minuteMs, weekMs } from '#common/time.js';
import { readConfig } from '#config/config.js';
import { AlertRecipientState } from '#entities/alert-recipient.js';
import { useWorld } from '../support/world.js';
import { someAddress, useMailWorld } from './mail-world.js';

const world = useMailWorld();
const withoutMail = useWorld();

describe('recipients of an alert rule', () => {
  it('returns the addresses as sent, and lists them with their state', async () => {
    const site = await world.site();
    const address = someAddress().replace('ops', 'Ops');
    const ruleId = await site.rule([address]);
    const path = `${site.path}/alert-rules/${ruleId}`;
    const got = await site.owner.get<{ recipients: string[] }>(path);
    expect(got.body.recipients).toEqual([address]);
    const put = await site.owner.put<object>(path, got.body);
    expect(put.status).toBe(200);
    expect({ ...put.body, updatedAt: '' }).toEqual({ ...got.body, updatedAt: '' });
    expect((await site.owner.put(path, { name: 'Renamed' })).body).toMatchObject({ recipients: [address] });
    expect(await site.states(ruleId)).toEqual([{ address, state: 'pending', reason: null, since: expect.any(String) }]);
    expect((await site.owner.put(path, { name: 'Renamed', recipients: null })).body).toMatchObject({ recipients: [] });
  });

  it.each([
    ['the same address twice in different case', ['a@example.com', 'A@example.com']],
    ['a text that is not an address', ['nobody']],
    ['an address with a line break', ['a@example.com\r\nBcc: b@example.com']],
    ['an address that is not ASCII', ['ä@example.com']],
    ['more than 20 addresses', Array.from({ length: 21 }, (_, index) => `a${index}@example.com`)],
  ])('returns 422 for %s', async (_what, recipients) => {
    const site = await world.site();
    const body = { name: 'x', kind: 'silence', silentFor: 60, recipients };
    const answer = await site.owner.post(`${site.path}/alert-rules`, body);
    const errors = [expect.objectContaining({ path: expect.stringMatching(/^recipients/) })];
    expect([answer.status, answer.body]).toEqual([
      422,
      expect.objectContaining({ errors: expect.arrayContaining(errors) }),
    ]);
  });

  it('returns 422 for recipients in a preview', async () => {
    const site = await world.site();
    const body = { kind: 'silence', silentFor: 60, recipients: [] };
    expect((await site.owner.post(`${site.path}/alert-rules/preview`, body)).status).toBe(422);
  });
});

describe('confirmation of an alert address', () => {
  it('sends one mail with a link, and confirms the address only by POST', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await site.rule([address]);
    const [ask] = await world.mailsTo(address, 1);
    const link = ask!.link('confirm');
    const page = await world.open(link);
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<form method="post"') });
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    expect(await site.states(ruleId)).toMatchObject([{ state: 'pending' }]);
    expect(await world.open(link, 'POST')).toMatchObject({ status: 200, body: expect.stringContaining('Confirmed') });
    expect(await site.states(ruleId)).toMatchObject([{ state: AlertRecipientState.confirmed }]);
    const [, token] = link.split('token=');
    expect(world.log).toContain('/alerts/mail/confirm');
    expect(world.log).not.toContain(token);
    const { rows } = await world.pool.query(sql`select from alert_mail_token t where t::text like ${`%${token}%`}`);
    expect(rows).toEqual([]);
  });

  it('returns the same 404 for an unknown and an expired token, and asks again after the expiry', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await site.rule([address]);
    const [ask] = await world.mailsTo(address, 1);
    await world.advance(weekMs + minuteMs);
    const over = await world.open(ask!.link('confirm'), 'POST');
    const unknown = await world.open(ask!.link('confirm').replace(/token=.{9}/, 'token=AAAAAAAAA'), 'POST');
    expect(over.status).toBe(404);
    expect(unknown.body).toBe(over.body);
    await site.owner.put(`${site.path}/alert-rules/${ruleId}`, { name: 'Again', recipients: [address] });
    const [, again] = await world.mailsTo(address, 2);
    await world.open(again!.link('confirm'), 'POST');
    expect(await site.states(ruleId)).toMatchObject([{ state: 'confirmed' }]);
  });

  it('applies to one organization, and sends one mail per hour for all organizations together', async () => {
    const [site, other] = [await world.site(), await world.site()];
    const address = someAddress();
    const ruleId = await site.rule([address]);
    const [ask] = await world.mailsTo(address, 1);
    const otherId = await other.rule([address.toUpperCase()]);
    await world.open(ask!.link('confirm'), 'POST');
    expect(await site.states(ruleId)).toMatchObject([{ state: 'confirmed' }]);
    expect(await other.states(otherId)).toMatchObject([{ address: address.toUpperCase(), state: 'pending' }]);
    await world.confirmed(await world.site(), someAddress());
    expect(await world.mailsTo(address, 1)).toHaveLength(1);
    await world.advance(61 * minuteMs);
    const [, second] = await world.mailsTo(address, 2);
    expect(second!.raw).toContain('names this address');
  });
});

describe('alert mails', () => {
  it('sends the first change at once, and later ones together after five minutes', async () => {
    const site = await world.site();
    const address = someAddress();
    await world.confirmed(site, address);
    await site.send(9);
    const [, first] = await world.mailsTo(address, 2);
    expect(first!.header('Subject')).toBe('Critical: Too warm, Freezer 3');
    expect(first!.raw).toContain('Application: Cold rooms');
    expect(first!.header('List-Unsubscribe')).toBe(`<${first!.link('stop')}>`);
    await site.send(1);
    await site.send(10);
    await world.advance(5 * minuteMs);
    const [, , digest] = await world.mailsTo(address, 3);
    expect(digest!.header('Subject')).toMatch(/^2 alert notices of /);
    expect(digest!.raw).toContain('Closed: Too warm, Freezer 3');
    expect(digest!.raw).toContain('Critical: Too warm, Freezer 3');
  });

  it('reports the end of an episode when its rule is deleted', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    await site.send(9);
    await world.mailsTo(address, 2);
    await site.owner.delete(`${site.path}/alert-rules/${ruleId}`);
    const waits = sql`select from alert_mail m join alert_recipient r on r.id = m.recipient_id where r.address = ${address}`;
    while ((await world.pool.query(waits)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await world.advance(5 * minuteMs);
    const [, , closing] = await world.mailsTo(address, 3);
    expect(closing!.raw).toContain('since the rule was deleted');
  });

  it('shows 50 changes and counts the others', async () => {
    const site = await world.site();
    const address = someAddress();
    await world.confirmed(site, address);
    const serials = Array.from({ length: 60 }, (_, index) => `ee-${String(index).padStart(2, '0')}`);
    await Promise.all(
      serials.map(async (serial) => {
        const id = await site.owner.make(`/organizations/${site.owner.id}/devices/${serial}`);
        await site.owner.put(`${site.path}/devices/${id}`);
      }),
    );
    const records = serials.map((serial) => ({ serial, ts: 1_700_000_000, data: { t: 9 } }));
    await site.owner.post(`/organizations/${site.owner.id}/records`, records);
    const [, mail] = await world.mailsTo(address, 2);
    expect(mail!.header('Subject')).toMatch(/^60 alert notices of /);
    expect(mail!.raw).toContain('And 10 more that are not shown here.');
  });

  it('writes names as plain text, so that they add no header or markup', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    const name = 'Warm\r\nBcc: victim@example.com\r\n\r\n<img src=x>&"';
    await site.owner.put(`${site.path}/alert-rules/${ruleId}`, { name });
    await site.send(9);
    const [, mail] = await world.mailsTo(address, 2);
    expect(mail!.to).toEqual([address]);
    expect(mail!.header('Subject')).toBe('Critical: Warm Bcc: victim@example.com <img src=x>&", Freezer 3');
    expect(mail!.header('Bcc')).toBeUndefined();
    expect(mail!.raw).toContain('Warm Bcc: victim@example.com &#60;img src=x&#62;&#38;&#34;');
  });

  it('stops by POST of its stop link only, and resumes on the linked page', async () => {
    const site = await world.site();
    const [address, neighbour] = [someAddress(), someAddress()];
    const ruleId = await world.confirmed(site, address);
    await world.confirmed(site, neighbour);
    await site.send(9);
    const [, mail] = await world.mailsTo(address, 2);
    const link = mail!.link('stop');
    expect((await world.open(link)).status).toBe(200);
    expect(await site.states(ruleId)).toMatchObject([{ state: 'confirmed' }]);
    expect(await world.open(link, 'POST')).toMatchObject({ status: 200, body: expect.stringContaining('again=1') });
    expect(await site.states(ruleId)).toMatchObject([{ state: 'stopped', reason: 'recipient' }]);
    await site.send(1);
    await world.advance(5 * minuteMs);
    await world.mailsTo(neighbour, 3);
    expect(await world.mailsTo(address, 2)).toHaveLength(2);
    expect((await world.open(`${link}&again=1`, 'POST')).status).toBe(200);
    expect(await site.states(ruleId)).toMatchObject([{ state: 'confirmed', reason: null }]);
    const forged = link.replace(/token=./, (start) => `token=${start.endsWith('A') ? 'B' : 'A'}`);
    expect((await world.open(forged, 'POST')).status).toBe(404);
    expect(world.log).not.toContain(link.split('token=')[1]);
  });

  it('stops an address that its mail server refuses for good, and shows the reason', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    world.server.refused.set(address, { code: 550, says: '5.1.1 No such user here' });
    await site.send(9);
    while ((await site.states(ruleId))[0]!.state !== AlertRecipientState.stopped)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await site.states(ruleId)).toMatchObject([{ reason: expect.stringMatching(/^550 .*No such user/) }]);
  });

  it.each([
    ['a temporary refusal', 451, 'Try later'],
    ['a refusal of the sender', 554, '5.7.1 Relay access denied'],
  ])('repeats a mail after %s', async (_what, code, says) => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    world.server.refused.set(address, { code, says });
    await site.send(9);
    const failing = sql`select from alert_recipient where address = ${address} and failures = 1`;
    while ((await world.pool.query(failing)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await site.states(ruleId)).toMatchObject([{ state: 'confirmed' }]);
    world.server.refused.delete(address);
    await world.advance(minuteMs);
    const [, mail] = await world.mailsTo(address, 2);
    expect(mail!.header('Subject')).toBe('Critical: Too warm, Freezer 3');
  });

  it('repeats a mail after the mail server refused the password, and keeps the password out of the log', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    world.server.rejectPasswords = true;
    await site.send(9);
    const failing = sql`select from alert_recipient where address = ${address} and last_error like '535 %'`;
    while ((await world.pool.query(failing)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await site.states(ruleId)).toMatchObject([{ state: 'confirmed', reason: null }]);
    world.server.rejectPasswords = false;
    await world.advance(minuteMs);
    expect(await world.mailsTo(address, 2)).toHaveLength(2);
    expect(world.log).not.toContain(world.server.config.auth!.pass);
  });

  it('drops a mail after a day of failures, and leaves the address confirmed', async () => {
    const site = await world.site();
    const address = someAddress();
    const ruleId = await world.confirmed(site, address);
    world.server.refused.set(address, { code: 451, says: 'Try later' });
    await site.send(9);
    const failures = async () =>
      (
        await world.pool.query<{ failures: number; waiting: number }>(sql`
          select failures, (select count(*)::int from alert_mail m where m.recipient_id = r.id) waiting
            from alert_recipient r where address = ${address}`)
      ).rows[0]!;
    while ((await failures()).failures === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await failures()).toEqual({ failures: 1, waiting: 1 });
    await world.advance(dayMs);
    while ((await failures()).failures > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await failures()).toEqual({ failures: 0, waiting: 0 });
    expect(await site.states(ruleId)).toMatchObject([{ state: 'confirmed' }]);
  });

  it('waits for the next day after 1,000 mails of an organization, without a delay for other organizations', async () => {
    const [site, other] = [await world.site(), await world.site()];
    const [address, neighbour] = [someAddress(), someAddress()];
    await world.confirmed(site, address);
    await world.confirmed(other, neighbour);
    await world.pool.query(sql`update alert_mail_day set notices = 1000 where organization_id = ${site.owner.id}`);
    await site.send(9);
    await site.send(1);
    await other.send(9);
    await world.mailsTo(neighbour, 2);
    expect(await world.mailsTo(address, 1)).toHaveLength(1);
    await world.advance(dayMs);
    const [, digest] = await world.mailsTo(address, 2);
    expect(digest!.header('Subject')).toMatch(/^2 alert notices of /);
  });

  it('counts sent and waiting mails in /metrics', async () => {
    const site = await world.site();
    const address = someAddress();
    await world.confirmed(site, address);
    const page = await (await fetch(`${world.url}/metrics`)).text();
    expect(page).toMatch(/^ddp_alert_mails_total\{outcome="sent"\} [1-9]/m);
    expect(page).toMatch(/^ddp_alert_notices_waiting \d/m);
  });
});

describe('alert recipients without SMTP_URL', () => {
  it('keeps them pending, and stores no notice', async () => {
    const owner = await withoutMail.organization();
    const applicationId = await owner.make(`/organizations/${owner.id}/applications`, { name: 'Cold rooms' });
    const rule = { name: 'x', kind: 'silence', silentFor: 60, recipients: [someAddress()] };
    const id = await owner.make(`/applications/${owner.id}/${applicationId}/alert-rules`, rule);
    const { body } = await owner.graph(
      `query ($organizationId: ID!, $applicationId: ID!, $id: ID!) {
        alertRule(organizationId: $organizationId, applicationId: $applicationId, alertRuleId: $id) {
          recipients recipientStates { state } } }`,
      { organizationId: owner.id, applicationId, id },
    );
    const states = [{ state: 'pending' }];
    expect(body.data?.['alertRule']).toEqual({ recipients: rule.recipients, recipientStates: states });
    expect((await fetch(`${withoutMail.url}/alerts/mail/confirm?token=x`)).status).toBe(404);
  });
});

describe('mail settings', () => {
  const PUBLIC_URL = 'https://iot.example.com';

  it('reads SMTP_URL and SMTP_FROM, and derives the sender from PUBLIC_URL by default', () => {
    const { mail } = readConfig({ PUBLIC_URL, SMTP_URL: 'smtp://user:p%40ss@mail.example.com' });
    expect(mail).toEqual({
      host: 'mail.example.com',
      port: 587,
      secure: false,
      requireTLS: true,
      auth: { user: 'user', pass: 'p@ss' },
      from: 'Device Data Platform <alerts@iot.example.com>',
      origin: PUBLIC_URL,
    });
    const own = readConfig({ PUBLIC_URL, SMTP_URL: 'smtps://mail.example.com', SMTP_FROM: 'Ops <ops@example.com>' });
    expect(own.mail).toMatchObject({ port: 465, secure: true, auth: undefined, from: 'Ops <ops@example.com>' });
  });

  it.each([
    ['no PUBLIC_URL', { SMTP_URL: 'smtp://user:hidden@mail.example.com' }, /PUBLIC_URL must be set if SMTP_URL is set/],
    ['another scheme', { PUBLIC_URL, SMTP_URL: 'http://user:hidden@mail.example.com' }, /SMTP_URL must be an address/],
    ['a user without a password', { PUBLIC_URL, SMTP_URL: 'smtp://hidden@mail.example.com' }, /SMTP_URL must be/],
    ['a sender with a line break', { PUBLIC_URL, SMTP_FROM: 'a\nBcc: hidden <b@example.com>' }, /SMTP_FROM must be/],
  ])('throws without repeating the password for %s', (_what, environment, message) => {
    const read = () => readConfig(environment);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/hidden/);
  });
});

it.each([
  ['a browser', 'text/html,*/*;q=0.8', 'text/html; charset=utf-8'],
  ['a program', '*/*', 'application/json; charset=utf-8'],
])('an error below /alerts/mail reaches %s in its own form', async (_name, accept, type) => {
  const answer = await fetch(`${world.url}/alerts/mail/confirm`, { method: 'PUT', headers: { accept } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([405, type]);
});

describe('an invitation by e-mail', () => {
  const create = `mutation ($id: ID!, $email: EmailAddress!) {
    createInvitation(organizationId: $id, email: $email) { url mail invitation { id } } }`;
  const resend = `mutation ($id: ID!, $invitation: ID!) {
    resendInvitation(organizationId: $id, invitationId: $invitation) { mail } }`;

  it('has the link, once an hour for an address', async () => {
    const { owner } = await world.site();
    const email = someAddress();
    const { body } = await owner.graph(create, { id: owner.id, email });
    const { url, mail, invitation } = body.data!['createInvitation'] as {
      url: string;
      mail: string;
      invitation: { id: string };
    };
    expect(mail).toBe('sent');
    const [received] = await world.mailsTo(email, 1);
    expect(received!.text).toContain(url);
    const again = await owner.graph(resend, { id: owner.id, invitation: invitation.id });
    expect(again.body.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
    // The link that was mailed still opens the invitation.
    const { pathname, search } = new URL(url);
    expect((await fetch(`${world.url}${pathname}${search}&here=1`)).status).toBe(200);
  });

  it('reports that the mail server refused it, and arrives at the next try', async () => {
    const { owner } = await world.site();
    const email = someAddress();
    world.server.refused.set(email, { code: 550, says: '5.1.1 Nobody' });
    const { body } = await owner.graph(create, { id: owner.id, email });
    expect(body.data!['createInvitation'].mail).toBe('failed');
    world.server.refused.delete(email);
    const { id } = body.data!['createInvitation'].invitation as { id: string };
    expect((await owner.graph(resend, { id: owner.id, invitation: id })).body.data!['resendInvitation'].mail).toBe(
      'sent',
    );
  });
});
