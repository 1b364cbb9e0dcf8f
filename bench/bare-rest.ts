import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';

/*
 * The other side of REST: bare `node:http` and one named prepared statement a request, without authentication,
 * permission or checks. Arguments: the address of the database, and `pool` (ten connections) or `pipelined` (one).
 */
const [, , connectionString, kind] = process.argv;
const client = kind === 'pipelined' ? new pg.Client({ connectionString, pipeline: true }) : undefined;
await client?.connect();
const database: Pick<pg.Pool, 'query'> = client ?? new pg.Pool({ connectionString, max: 10 });

const device = `select id, organization_id, serial, name, slug, tags, product_id, lat, lon, created_at, updated_at from device`;

const send = (response: ServerResponse, body: unknown) => {
  const json = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) });
  response.end(json);
};

const server = createServer(async (request, response) => {
  const [, what, id] = request.url!.split('/');
  if (request.method === 'POST') {
    const { name } = JSON.parse(await text(request)) as { name: string };
    const insert = `insert into team (id, organization_id, name, slug, created_at, updated_at)
      values (gen_random_uuid(), $1, $2, 'bench', now(), now()) returning id, organization_id, name, slug, created_at, updated_at`;
    send(response, (await database.query({ name: 'create', text: insert, values: [id, name] })).rows[0]);
  } else if (what === 'device') {
    send(response, (await database.query({ name: 'get', text: `${device} where id = $1`, values: [id] })).rows[0]);
  } else {
    const list = `${device} where organization_id = $1 order by id limit 10`;
    send(response, (await database.query({ name: 'list', text: list, values: [id] })).rows);
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});
