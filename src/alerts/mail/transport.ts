import type { Mail } from './message.js';

/** Mail server, and how to connect to it. */
export interface MailServer {
  host: string;
  port: number;
  secure: boolean;
  requireTLS: boolean;
  auth: { user: string; pass: string } | undefined;
  /** Sender. */
  from: string;
}

/** Sends a mail. Throws where the server does not take it. */
export type SendMail = (mail: Mail) => Promise<void>;

/** Time limits of connecting, and of a server that stays silent. Milliseconds. */
const connectTimeout = 10_000;
const silenceTimeout = 20_000;
/** Time limit of a whole mail, also for a server that answers slowly. Milliseconds. */
const deadline = 60_000;

/** Loads the mail library and returns what sends. Each mail has a connection of its own. */
export async function openTransport({ from, ...server }: MailServer): Promise<SendMail> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...server,
    connectionTimeout: connectTimeout,
    greetingTimeout: connectTimeout,
    dnsTimeout: connectTimeout,
    socketTimeout: silenceTimeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text, html, messageId, stopUrl }) => {
    const sending = transport.sendMail({
      from,
      to: { name: '', address: to },
      subject,
      text,
      html,
      messageId,
      headers: {
        'List-Unsubscribe': { prepared: true, value: `<${stopUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'Auto-Submitted': 'auto-generated',
      },
    });
    await within(sending, deadline);
  };
}

async function within(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error('The mail took too long.'), { code: 'ETIMEDOUT' })),
      milliseconds,
    );
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
