import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { MailConfig } from '#config/mail-setting.js';

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[];
  /** Head and parts, decoded. */
  raw: string;
  /** The part in plain text, decoded. */
  text: string;
  /** Returns the value of a header in one line; undefined when the header is missing. */
  header(name: string): string | undefined;
  /** Returns the first link with this path. */
  link(path: 'confirm' | 'stop'): string;
}

/** A mail server on loopback that keeps the mails it receives. */
export interface MailServer {
  readonly mails: readonly ReceivedMail[];
  readonly config: MailConfig;
  /** Answers to RCPT TO for refused addresses. */
  readonly refused: Map<string, { code: number; says: string }>;
  /** Whether RCPT TO stays unanswered. */
  hangs: boolean;
  /** Refuses every password. */
  rejectPasswords: boolean;
  /** Number of sessions in which a password was sent. */
  passwords(): number;
  /** Number of RCPT TO commands for an address, accepted or refused. */
  attempts(address: string): number;
  close(): Promise<void>;
}

export const mailOrigin = 'https://iot.example.com';

/** Key and certificate (PEM) of a mail server that encrypts, and whether it does so from the first byte. */
export interface MailServerTls {
  key: string;
  cert: string;
  secure: boolean;
}

/**
 * Starts a mail server on a port, a free one unless given.
 * @param tls absent: it offers no encryption
 * @param onMail called with each mail
 */
export async function startMailServer({
  port = 0,
  tls,
  onMail,
}: {
  port?: number;
  tls?: MailServerTls;
  onMail?: (mail: ReceivedMail) => void;
} = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const tried: string[] = [];
  const refused: MailServer['refused'] = new Map();
  let passwords = 0;
  const server = new SMTPServer({
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: true,
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    onAuth(_auth, { secure }, callback) {
      passwords++;
      if (state.rejectPasswords || (tls !== undefined && !secure))
        callback(Object.assign(new Error('Bad password'), { responseCode: 535 }));
      else callback(null, { user: 'ddp' });
    },
    onRcptTo({ address }, _session, callback) {
      tried.push(address);
      const answer = refused.get(address);
      if (state.hangs) return;
      if (answer) callback(Object.assign(new Error(answer.says), { responseCode: answer.code }));
      else callback();
    },
    onData(stream, { envelope }, callback) {
      text(stream).then((raw) => {
        const mail = received(
          raw,
          envelope.rcptTo.map(({ address }) => address),
        );
        mails.push(mail);
        onMail?.(mail);
        callback();
      }, callback);
    },
  });
  const state: MailServer = {
    mails,
    refused,
    hangs: false,
    rejectPasswords: false,
    config: {
      host: '127.0.0.1',
      port: 0,
      secure: tls?.secure ?? false,
      requireTLS: tls !== undefined && !tls.secure,
      auth: { user: 'ddp', pass: 'an SMTP password' },
      from: 'Alerts <alerts@example.com>',
      origin: mailOrigin,
    },
    passwords: () => passwords,
    attempts: (address) => tried.filter((each) => each === address).length,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  // Ignores clients that disconnect, such as those that do not trust the certificate.
  server.on('error', () => undefined);
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  state.config.port = (listening.address() as AddressInfo).port;
  return state;
}

function received(raw: string, to: string[]): ReceivedMail {
  const decoded = unquoted(raw.replaceAll('=\r\n', ''));
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return {
    to,
    raw: decoded,
    text: decoded.split(/^Content-Type: text\/plain[^]*?\r\n\r\n/m)[1]?.split('\r\n----')[0] ?? '',
    header: (name) => wordsOf(new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim()),
    link: (path) => new RegExp(`${mailOrigin}/alerts/mail/${path}\\?token=[\\w-]+`).exec(decoded)![0],
  };
}

/** Decodes quoted-printable text in UTF-8. */
const unquoted = (text: string): string =>
  text.replaceAll(/(?:=[0-9A-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('=', ''), 'hex').toString());

/** Decodes the encoded words of a header (RFC 2047). */
const wordsOf = (value: string | undefined): string | undefined =>
  value
    ?.replaceAll(/\?= =\?UTF-8\?Q\?/g, '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_all, words: string) => unquoted(words.replaceAll('_', ' ')));
