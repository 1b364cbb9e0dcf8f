import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { announce } from './peers/program.js';

/* The baseline of single posts: a bare server that stores each request's record with one INSERT in a transaction of its
   own. DATABASE_URL is the address of the database. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const device = '01900000-0000-7000-8000-000000000000';

const server = createServer((request, response) => {
  const store = async () => {
    const { ts, metadata, data } = JSON.parse(await text(request)) as { ts: number; metadata: object; data: object };
    await pool.query({
      name: 'insert',
      text: `insert into record (id, organization_id, device_id, ts, metadata, data) values (gen_random_uuid(), $1, $1, to_timestamp($2), $3, $4)`,
      values: [device, ts, JSON.stringify(metadata), JSON.stringify(data)],
    });
    response.end('{"accepted":1}');
  };
  store().catch((error: unknown) => {
    response.statusCode = 500;
    response.end(String(error));
  });
});
announce(server);
