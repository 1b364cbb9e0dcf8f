import type { Registry } from 'prom-client';
import { confirmPath, stopPath } from '#alerts/mail/compose.js';
import { createMailer, type Mailer } from '#alerts/mail/mailer.js';
import type { Log } from '#common/log.js';
import type { Config } from '#config/config.js';
import { createMailPages, type MailPagesOptions } from '#rest/mail-links.js';
import type { Connections } from './connections.js';

interface MailOptions {
  config: Config;
  connections: Connections;
  clock: () => number;
  log: Log;
  registry: Registry;
  secretKeys: readonly string[];
}

/** Opens the e-mail of alerts; undefined when e-mail is off. */
export function openMail({ config, connections, ...options }: MailOptions): Mailer | undefined {
  if (config.mail === undefined) return undefined;
  const { origin, ...server } = config.mail;
  const { clock, log, registry, secretKeys } = options;
  return createMailer({ pool: connections.pool, clock, log, registry, secretKeys, server, origin });
}

/** Creates the pages that links in e-mails open; none when e-mail is off. */
export const pagesOfMail = (mail: Mailer | undefined, countUnknown: MailPagesOptions['countUnknown']) =>
  mail === undefined
    ? []
    : [
        createMailPages({
          confirm: { path: confirmPath, run: mail.links.confirm },
          stop: { path: stopPath, run: mail.links.stop },
          countUnknown,
        }),
      ];
