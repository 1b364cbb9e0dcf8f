import type { z } from 'zod';
import { parsedSetting, urlOf } from './setting.js';

/** Settings of e-mail. They hold a password and are never logged. */
export interface MailConfig {
  host: string;
  port: number;
  /** Whether the connection is encrypted from the start (smtps). */
  secure: boolean;
  /** Whether the connection must be encrypted by STARTTLS before anything is sent. */
  requireTLS: boolean;
  auth: { user: string; pass: string } | undefined;
  /** Sender, such as `alerts@example.com` or `Alerts <alerts@example.com>`. */
  from: string;
  /** Origin of the links in e-mails, without a slash at the end. */
  origin: string;
}

type Server = Omit<MailConfig, 'from' | 'origin'>;

/** E-mail settings in the environment. */
export const mailSettings = {
  SMTP_URL: parsedSetting(serverOf, 'must be an address such as smtps://user:password@mail.example.com:465').optional(),
  SMTP_FROM: parsedSetting(
    senderOf,
    'must be an address such as alerts@example.com or Alerts <alerts@example.com>',
  ).optional(),
};

type Given = z.infer<z.ZodObject<typeof mailSettings>> & { PUBLIC_URL?: string | undefined };

/** Returns faults in the combination of these settings. */
export const mailFaultsOf = ({ SMTP_URL, PUBLIC_URL }: Given): string[] =>
  SMTP_URL !== undefined && PUBLIC_URL === undefined
    ? ['PUBLIC_URL must be set if SMTP_URL is set: it is the origin of the links in mails.']
    : [];

/** Returns the settings of e-mail; undefined when e-mail is off. */
export const mailOf = ({ SMTP_URL, SMTP_FROM, PUBLIC_URL }: Given): MailConfig | undefined =>
  SMTP_URL && PUBLIC_URL
    ? { ...SMTP_URL, from: SMTP_FROM ?? `Device Data Platform <alerts@${hostOf(PUBLIC_URL)}>`, origin: PUBLIC_URL }
    : undefined;

/** Returns the part of an address after the @. An IP address is in brackets there (RFC 5321). */
function hostOf(origin: string): string {
  const { hostname } = new URL(origin);
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1, -1)}]`;
  return /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname;
}

function serverOf(text: string): Server | undefined {
  const url = urlOf(text);
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return undefined;
  const secure = url.protocol === 'smtps:';
  const [user, pass] = [textOf(url.username), textOf(url.password)];
  if (user === undefined || pass === undefined || (user === '') !== (pass === '')) return undefined;
  const host = textOf(url.hostname.replace(/^\[|\]$/g, ''));
  if (host === undefined) return undefined;
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // Otherwise an attacker in the network path could read the password.
    requireTLS: !secure && user !== '' && !/^(localhost|127\.[\d.]+|::1)$/.test(host),
    auth: user === '' ? undefined : { user, pass },
  };
}

function senderOf(text: string): string | undefined {
  return /^[^\s<>"@,;:]+@[^\s<>"@,;:]+$/.test(text) || /^[^<>"@,;:\p{Cc}]+ <[^\s<>"@,;:]+@[^\s<>"@,;:]+>$/u.test(text)
    ? text
    : undefined;
}

/** Decodes percent signs; undefined when they do not decode. */
function textOf(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
