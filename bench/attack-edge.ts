import { createHash, randomUUID } from 'node:crypto';
import { type Attack, type Attacker, json, make, send } from './attack-call.js';

/* Attacks at the edges: persisted operations, forwarded addresses, one thing changed by many, rules of alerts, names of
   fields, sign-ins, and files of the console. */

const organizationOf = ({ organizationId }: Attacker) => `/ddp/v1/organizations/${organizationId}`;
const applicationOf = ({ organizationId, applicationId }: Attacker) =>
  `/ddp/v1/applications/${organizationId}/${applicationId}`;

/** Lists objects by their identifiers. */
const list = async ({ client, token }: Attacker, path: string): Promise<{ id: string }[]> => {
  const answer = await client.request({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } });
  return (await answer.body.json()) as { id: string }[];
};

const put =
  'mutation ($o: ID!, $devices: [DeviceInput!]!) { putDevices(organizationId: $o, devices: $devices) { updated } }';
const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(put).digest('hex') };

/** Returns a body that puts 1,000 devices by the hash of the mutation. */
const putByHash = ({ organizationId }: Attacker, round: number): string => {
  const devices = Array.from({ length: 1000 }, (_, index) => ({
    serial: `c0-${index.toString(16)}`,
    name: `Freezer ${index}, round ${round}`,
  }));
  return JSON.stringify({ extensions: { persistedQuery }, variables: { o: organizationId, devices } });
};

const slow = { regexp: { 'data.status': { value: '(.*a){6}.*b' } } };

export const edgeAttacks: Readonly<Record<string, Attack>> = {
  'devices put by hash': {
    workers: 4,
    async prepare(of) {
      const variables = { o: of.organizationId, devices: [] };
      await send(of, '/graphql', JSON.stringify({ query: put, extensions: { persistedQuery }, variables }));
      const bodies = [putByHash(of, 1), putByHash(of, 2)];
      return bodies.map((body) => () => send(of, '/graphql', body));
    },
  },
  'forwarded addresses with ports': {
    workers: 8,
    async prepare(of) {
      let port = 0;
      const headers = () => ({
        authorization: 'Bearer nobody',
        'x-forwarded-for': `203.0.113.5:${1024 + (port++ % 60_000)}`,
      });
      return [() => send(of, '/ddp/v1/account', undefined, headers())];
    },
  },
  'one hook changed by many': {
    workers: 16,
    async prepare(of) {
      const [hook] = await list(of, `${applicationOf(of)}/hooks?limit=1`);
      const path = `${applicationOf(of)}/hooks/${hook!.id}`;
      let round = 0;
      const change = () => {
        const name = `x-${round++}`;
        const body = { url: 'http://127.0.0.1:9/', authentication: { header: { name, value: name } } };
        return send(of, path, JSON.stringify(body), json, 'PUT');
      };
      return [change];
    },
  },
  'slow rules of alerts': {
    workers: 2,
    async prepare(of) {
      const rule = { kind: 'threshold', when: { query: slow } };
      for (let index = 0; index < 10; index += 1)
        await make(of, `${applicationOf(of)}/alert-rules`, { name: `R${index}`, ...rule });
      const records = of.serials.slice(0, 100).map((serial) => ({ serial, data: { status: 'a'.repeat(50) } }));
      return [() => send(of, `${organizationOf(of)}/records`, JSON.stringify(records))];
    },
  },
  'new names of fields': {
    workers: 2,
    async prepare(of) {
      const record = () => {
        const names = Array.from({ length: 900 }, (_, index): [string, number] => [`n${randomUUID()}${index}`, index]);
        return JSON.stringify({ serial: of.serials[0], data: Object.fromEntries<number>(names) });
      };
      return [() => send(of, `${organizationOf(of)}/records`, record())];
    },
  },
  // A page that begins sign-ins by images, and people who begin them at a provider that is slow and then fails.
  'sign-ins without end': {
    workers: 100,
    async prepare(of) {
      let visitor = 0;
      const begin = (destination: string) => () => {
        visitor += 1;
        const address = `198.51.${(visitor >>> 8) & 255}.${visitor & 255}`;
        return send(of, '/auth/start', undefined, { 'sec-fetch-dest': destination, 'x-forwarded-for': address });
      };
      return [begin('image'), begin('document')];
    },
  },
  'scripts of nobody': {
    workers: 8,
    prepare: async (of) => [() => send(of, `/console/assets/usage-${randomUUID().slice(0, 8).toUpperCase()}.js`)],
  },
};
