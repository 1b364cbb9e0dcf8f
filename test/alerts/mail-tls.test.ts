import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { faultOf } from '#alerts/mail/fault.js';
import type { Mail } from '#alerts/mail/message.js';
import { openTransport } from '#alerts/mail/transport.js';
import { type MailServer, startMailServer } from './mail-server.js';

const key = readFileSync('test/data/tls/key.pem', 'utf8');
const cert = readFileSync('test/data/tls/cert.pem', 'utf8');
const trusted = tls.getCACertificates('default');

const mail: Mail = {
  to: 'ops@example.com',
  subject: 'Critical: Too warm',
  text: 'It is too warm.',
  html: '<p>It is too warm.</p>',
  messageId: '<1@example.com>',
  stopUrl: 'https://example.com/stop',
};

let server: MailServer;
afterEach(async () => {
  tls.setDefaultCACertificates(trusted);
  await server.close();
});

const send = async (): Promise<void> => (await openTransport(server.config))(mail);

describe('connection to a mail server', () => {
  it.each([
    ['from the first byte', true],
    ['by STARTTLS', false],
  ])('encrypts the connection %s before it sends the password', async (_how, secure) => {
    tls.setDefaultCACertificates([...trusted, cert]);
    server = await startMailServer({ tls: { key, cert, secure } });
    await send();
    expect([server.mails.map(({ to }) => to), server.passwords()]).toEqual([[['ops@example.com']], 1]);
  });

  it.each([
    ['from the first byte', true],
    ['by STARTTLS', false],
  ])('stops without sending the password when the certificate is not trusted, encrypted %s', async (_how, secure) => {
    server = await startMailServer({ tls: { key, cert, secure } });
    const fault = faultOf(await send().catch((error: unknown) => error));
    expect(fault).toEqual({ isRecipients: false, says: expect.stringContaining('The mail server did not answer') });
    expect([server.mails, server.passwords()]).toEqual([[], 0]);
  });

  it('stops without sending the password when the server offers no encryption', async () => {
    server = await startMailServer();
    server.config.requireTLS = true;
    await expect(send()).rejects.toThrow(/TLS/);
    expect([server.mails, server.passwords()]).toEqual([[], 0]);
  });
});
