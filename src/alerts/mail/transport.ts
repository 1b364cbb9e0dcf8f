import type { Mail } from './message.js';

/** Mail server and connection settings. */
export interface MailServer {
  host: string;
  port: number;
  secure: boolean;
  requireTLS: boolean;
  auth: { user: string; pass: string } | undefined;
  /** Address of the sender. */
  from: string;
}

/**
 * Sends a mail.
 * @throws the library's error if the server does not accept it
 */
export type SendMail = (mail: Mail) => Promise<void>;

/** Timeouts of connecting to the server, and of waiting for its next answer, in milliseconds. */
const connectTimeout = 10_000;
const silenceTimeout = 20_000;
/** Maximum time of a whole mail, in milliseconds, which also limits a server that answers slowly. */
const deadline = 60_000;

/** Loads the mail library and returns a function that sends mails. Each mail uses its own connection. */
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
        ...(stopUrl !== undefined && {
          'List-Unsubscribe': { prepared: true, value: `<${stopUrl}>` },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }),
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
