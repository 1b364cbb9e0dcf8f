import { createClient } from './client.js';
import { tour } from './tour.js';

/*
 * npm run example:rest: calls every operation of a running service. The first start of the service prints the line that
 * sets ORIGIN and TOKEN. RECEIVER is an address that a hook calls.
 */

const { ORIGIN = 'http://127.0.0.1:4000', TOKEN, RECEIVER = 'http://127.0.0.1:9/' } = process.env;

if (TOKEN === undefined) {
  console.error('Set TOKEN, and ORIGIN where it is not http://127.0.0.1:4000.');
  process.exitCode = 1;
} else {
  const client = await createClient(`${ORIGIN}/ddp/v1`, TOKEN);
  for (const line of await tour(client, 'E0-A1-44-01', RECEIVER)) console.log(line);
}
