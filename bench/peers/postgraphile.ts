import { createServer, type Server } from 'node:http';
import { announce, connectionString, loadPeer } from './program.js';

/* PostGraphile 5 over the tables as they are. It sends the fewest statements per document, and checks no
   permissions. */

interface Instance {
  createServ(grafserv: unknown): { addTo(server: Server): Promise<void> };
}

const { postgraphile } = await loadPeer<{ postgraphile: (preset: object) => Instance }>('postgraphile');
const { PostGraphileAmberPreset } = await loadPeer<{ PostGraphileAmberPreset: object }>('postgraphile/presets/amber');
const { makePgService } = await loadPeer<{ makePgService: (options: object) => object }>('postgraphile/adaptors/pg');
const { grafserv } = await loadPeer<{ grafserv: unknown }>('postgraphile/grafserv/node');

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // The plugin hides an edge whose foreign key lacks an index of exactly its columns. The existing indexes serve as
  // well.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString, schemas: ['public'], poolConfig: { max: 10 } })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
announce(server);
