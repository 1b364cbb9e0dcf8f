import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { newId } from '#entities/id.js';
import { announce } from './peers/program.js';

/* The baseline that the service is compared with: node:http and pg with one named prepared statement per request,
   without authentication, permissions and validation. Runs as a program with the address of the database;
   `pipelined` uses a single connection. */

const device = `select d.id, d.organization_id as "organizationId", d.serial, d.name, d.slug, d.tags,
  json_build_object('id', p.id, 'organizationId', p.organization_id) as product,
  (select count(*)::int from application_device c where c.device_id = d.id) as "applicationCount",
  d.created_at as "createdAt", d.updated_at as "updatedAt" from device d left join product p on p.id = d.product_id`;
const statements = {
  device: { name: 'device', text: `${device} where d.organization_id = $1 and d.id = $2` },
  devices: { name: 'devices', text: `${device} where d.organization_id = $1 order by d.id limit 10` },
  team: {
    name: 'team',
    text: `insert into team (id, organization_id, name, slug, created_at, updated_at)
           values ($1, $2, $3, lower($3), now(), now()) returning *`,
  },
  change: {
    name: 'change',
    text: `update team set name = $3, slug = lower($3), updated_at = now()
            where organization_id = $1 and id = $2 returning *`,
  },
};

type Query = (statement: { name: string; text: string }, values: string[]) => Promise<{ rows: object[] }>;

const createBare = (query: Query) => async (request: IncomingMessage, response: ServerResponse) => {
  const [, organizationId = '', id = ''] = request.url!.split('/');
  let answer: object | undefined;
  if (request.method === 'POST' || request.method === 'PUT') {
    const { name } = JSON.parse(await text(request)) as { name: string };
    [answer] = (
      await (request.method === 'POST'
        ? query(statements.team, [newId(), organizationId, name])
        : query(statements.change, [organizationId, id, name]))
    ).rows;
  } else if (id === '') answer = (await query(statements.devices, [organizationId])).rows;
  else [answer] = (await query(statements.device, [organizationId, id])).rows;
  const body = JSON.stringify(answer);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
};

const connect = async (connectionString: string, pipelined: boolean): Promise<Query> => {
  const pool = new pg.Pool({ connectionString, max: 10 });
  if (!pipelined) return (statement, values) => pool.query({ ...statement, values });
  const client = new pg.Client({ connectionString, pipeline: true });
  await client.connect();
  return (statement, values) => client.query({ ...statement, values });
};

const [, , kind] = process.argv;
const bare = createBare(await connect(process.env['DATABASE_URL'] ?? '', kind === 'pipelined'));
announce(createServer((request, response) => void bare(request, response)));
