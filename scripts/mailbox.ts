import { parseArgs } from 'node:util';
import { startMailServer } from '../test/alerts/mail-server.js';

/* npm run mailbox: a local mail server that delivers nothing and prints each e-mail, for trying the e-mail of alert
   rules. --port sets another port than 2525. */

const { values } = parseArgs({ options: { port: { type: 'string', default: '2525' } } });

await startMailServer({
  port: Number(values.port),
  onMail: (mail) =>
    console.log(`\nTo: ${mail.to.join(', ')}\nSubject: ${mail.header('subject') ?? ''}\n\n${mail.text.trim()}\n`),
});
console.log(`Taking mails at smtp://127.0.0.1:${values.port}. Ctrl+C ends it.`);
