import { parseArgs } from 'node:util';
import { startMailServer } from '../test/alerts/mail-server.js';

/*
 * npm run mailbox: a mail server on this machine that delivers nothing and prints each mail, to try the e-mail of alert
 * rules with. --port for another port than 2525.
 */

const { values } = parseArgs({ options: { port: { type: 'string', default: '2525' } } });

await startMailServer({
  port: Number(values.port),
  onMail: (mail) =>
    console.log(`\nTo: ${mail.to.join(', ')}\nSubject: ${mail.header('subject') ?? ''}\n\n${mail.text.trim()}\n`),
});
console.log(`Taking mails at smtp://127.0.0.1:${values.port}. Ctrl+C ends it.`);
